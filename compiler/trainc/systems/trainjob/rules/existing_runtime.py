"""Fields of a job that have no effect if a runtime of the cluster has the pods: `scheduling.runtime`."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, no_effect
from trainc.spec.section import inside

TRIGGERS = ("scheduling",)

_HELP = "set it in the runtime, or remove scheduling.runtime"
# Sections of the job file, and their fields that neither `spec.trainer` nor a patch of the runtime can express:
# PodSpecPatch and ContainerPatch of pkg/apis/trainer/v1alpha1/trainjob_types.go in Trainer 2.3.
_FIELDS = {
    "": ("workingDir", "imagePullPolicy", "envFrom", "podSecurity", "podTemplate"),
    "scheduling": ("topologySpreadConstraints", "priorityClassName", "schedulerName", "gang", "topologyKey"),
    "network": ("hostNetwork",),
    "lifecycle": (
        *("backoffLimit", "backoffLimitPerIndex", "ttlSecondsAfterFinished", "cleanPodPolicy", "successPolicy"),
        *("exitCodes", "restartPolicy"),
    ),
}
# Fields that older releases can't express.
_SINCE = {"terminationGracePeriodSeconds": ("2.3",), "activeDeadlineSeconds": ("2.2", "2.3")}


def check(context: RuleContext) -> Diagnostics:
    """Report fields that the runtime decides, and an elastic job: a runtime's policy has a fixed number of nodes."""
    runtime, spec = context.job.runtime, context.spec
    if runtime is None:
        return
    if context.job.replicas.elastic:
        message = f"the runtime `{runtime.name}` sets PET_NNODES to a fixed number of workers"
        help_ = "remove scheduling.runtime, or elastic"
        yield error(codes.UNSUPPORTED_BY_BACKEND, message, spec.node.where("elastic"), help=help_)
    release = context.target.controller_version
    late = tuple(name for name, releases in _SINCE.items() if release not in releases)
    fields = {**_FIELDS, "lifecycle": (*_FIELDS["lifecycle"], *late)}
    for path, names in fields.items():
        section = spec.node
        for name in path.split(".") if path else ():
            if name not in section.entries:
                break
            section = inside(section, name)
        else:
            for name in names:
                if name in section.entries:
                    full = ".".join(filter(None, ("spec", path, name)))
                    reason = f"Trainer {release} can't change it in the runtime `{runtime.name}`"
                    yield no_effect(context, full, reason, _HELP)
