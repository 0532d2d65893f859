"""Jobs applied by Argo CD or Flux that are deleted, immutable or replaced."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, note, warning
from trainc.checks.shared.labels import Mark
from trainc.source.node import Mapping, scalar_text

TRIGGERS = ("metadata.annotations",)

# https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/ and .../resource_hooks/
ARGO, OPTIONS, HOOK = "argocd.argoproj.io/", "argocd.argoproj.io/sync-options", "argocd.argoproj.io/hook"
# https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources
FLUX = "kustomize.toolkit.fluxcd.io/"
TTL = ("ttlSecondsAfterFinished", "cleanPodPolicy")
STAY = "remove it: the object then stays until it is removed from git"


def check(context: RuleContext) -> Diagnostics:
    """Check jobs whose annotations show that Argo CD or Flux applies them; trainc sets these on every object."""
    annotations = context.spec.metadata.node.get("annotations")
    if not (context.system.ends and context.system.has_controller) or not isinstance(annotations, Mapping):
        return
    annotations_by_name = {
        name: Mark(value=scalar_text(entry.value), span=entry.key.span, direct=False)
        for name, entry in annotations.entries.items()
    }
    argo = [mark for name, mark in annotations_by_name.items() if name.startswith(ARGO)]
    flux = [mark for name, mark in annotations_by_name.items() if name.startswith(FLUX)]
    if argo and HOOK not in annotations_by_name:
        yield from _argo(context, argo[0], annotations_by_name)
    if flux and not any(mark.value.lower() in ("disabled", "ignore") for mark in flux):
        yield from _flux(context, flux[0], annotations_by_name)


def _argo(context: RuleContext, first: Mark, annotations_by_name: dict[str, Mark]) -> Diagnostics:
    words = annotations_by_name[OPTIONS].value.replace(" ", "").split(",") if OPTIONS in annotations_by_name else []
    if {"Force=true", "Replace=true"} <= {*words}:
        for claim in context.job.claims[:1]:
            message = f"these options apply to every object: a sync that replaces claim `{claim.name}` deletes its data"
            other = Related(span=context.spec.where("volumes"), message="created with the job")
            help_ = "create the claim in its own manifest, and refer to it by persistentVolumeClaim"
            yield warning(
                codes.GITOPS_CONFLICT, message, annotations_by_name[OPTIONS].span, help=help_, related=[other]
            )
    elif context.system.template_is_immutable:
        message = "a Job is immutable: when the job file changes, Argo CD's sync fails"
        help_ = f'add {OPTIONS}: "Force=true,Replace=true", or use a new name for every run'
        yield note(codes.GITOPS_CONFLICT, message, first.span, help=help_)
    if context.job.ttl_seconds_after_finished is not None:
        kind = context.system.kind
        message = f"the {kind} that is deleted is OutOfSync for Argo CD, and selfHeal starts training again"
        yield note(codes.GITOPS_CONFLICT, message, context.spec.lifecycle.where(*TTL), help=STAY)


def _flux(context: RuleContext, first: Mark, annotations_by_name: dict[str, Mark]) -> Diagnostics:
    force = annotations_by_name.get(FLUX + "force")
    fixed = context.system.template_is_immutable
    if fixed and (force is None or force.value.lower() != "enabled"):
        message = "a Job is immutable: when the job file changes, Flux cannot apply it"
        help_ = f"add {FLUX}force: enabled, or use a new name for every run"
        yield note(codes.GITOPS_CONFLICT, message, first.span, help=help_)
    if context.job.ttl_seconds_after_finished is not None:
        kind = context.system.kind
        message = f"Flux makes the {kind} that is deleted anew when it reconciles: the training starts again"
        other = Related(span=first.span, message="shows that Flux applies it")
        yield warning(codes.GITOPS_CONFLICT, message, context.spec.lifecycle.where(*TTL), help=STAY, related=[other])
