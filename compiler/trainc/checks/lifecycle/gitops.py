"""Jobs applied by Argo CD or Flux that are deleted, immutable or replaced."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, note, remove, warning
from trainc.source.node import Mapping, scalar_text
from trainc.span import Span
from trainc.spec.section import inside

TRIGGERS = ("metadata.annotations",)

# https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/ and .../resource_hooks/
ARGO, OPTIONS, HOOK = "argocd.argoproj.io/", "argocd.argoproj.io/sync-options", "argocd.argoproj.io/hook"
# https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources
FLUX = "kustomize.toolkit.fluxcd.io/"
TTL = ("ttlSecondsAfterFinished", "cleanPodPolicy")
STAY = "remove it: the object then stays until it is removed from git"


def check(context: RuleContext) -> Diagnostics:
    """Check jobs whose annotations show that Argo CD or Flux applies them; trainc sets these on every object."""
    annotations = inside(context.spec.metadata.node, "annotations")
    if not (context.system.ends and context.system.has_controller):
        return
    argo, flux = (
        [entry.key.span for name, entry in annotations.entries.items() if name.startswith(prefix)]
        for prefix in (ARGO, FLUX)
    )
    if argo and HOOK not in annotations.entries:
        yield from _argo(context, argo[0], annotations)
    if flux and not any(
        name.startswith(FLUX) and scalar_text(value).lower() in ("disabled", "ignore")
        for name, value in annotations.items()
    ):
        yield from _flux(context, flux[0], annotations)


def _argo(context: RuleContext, first: Span, annotations: Mapping) -> Diagnostics:
    if {"Force=true", "Replace=true"} <= {*scalar_text(annotations.get(OPTIONS)).replace(" ", "").split(",")}:
        for claim in context.job.claims[:1]:
            message = f"these options apply to every object: a sync that replaces claim `{claim.name}` deletes its data"
            other = (context.spec.where("volumes"), "created with the job")
            help_ = "create the claim in its own manifest, and refer to it by persistentVolumeClaim"
            where = annotations.entries[OPTIONS].key.span
            yield warning(codes.GITOPS_CONFLICT, message, where, help=help_, related=[other])
    elif context.system.template_is_immutable:
        message = f"{context.system.a_kind} is immutable: when the job file changes, Argo CD's sync fails"
        help_ = f'add {OPTIONS}: "Force=true,Replace=true", or use a new name for every run'
        yield note(codes.GITOPS_CONFLICT, message, first, help=help_)
    message = f"Argo CD reports the deleted {context.system.kind} as OutOfSync: the next sync starts training again"
    yield from _deletion(context, message, (first, "shows that Argo CD applies it"))


def _flux(context: RuleContext, first: Span, annotations: Mapping) -> Diagnostics:
    is_forced = scalar_text(annotations.get(f"{FLUX}force")).lower() == "enabled"
    if context.system.template_is_immutable and not is_forced:
        message = f"{context.system.a_kind} is immutable: when the job file changes, Flux cannot apply it"
        help_ = f"add {FLUX}force: enabled, or use a new name for every run"
        yield note(codes.GITOPS_CONFLICT, message, first, help=help_)
    message = f"Flux recreates the deleted {context.system.kind} when it reconciles: training starts again"
    yield from _deletion(context, message, (first, "shows that Flux applies it"))


def _deletion(context: RuleContext, message: str, evidence: tuple[Span, str]) -> Diagnostics:
    """Report that the finished job is deleted; `evidence` is the annotation that shows the GitOps tool."""
    if context.job.ttl_seconds_after_finished is not None and not context.system.outlives_ttl:
        where = context.spec.lifecycle.where(*TTL)
        yield warning(codes.GITOPS_CONFLICT, message, where, help=STAY, related=[evidence], remedy=remove(where))
