"""What the API server lets change in a Job, and what the Job controller does then.

ValidateJobSpecUpdate in https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/batch/validation/validation.go,
validationOptionsForJob in https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/registry/batch/job/strategy.go
"""

from __future__ import annotations

from trainc.plan.fields import at, text
from trainc.plan.models import is_suspended
from trainc.systems.job.traits import MUTABLE
from trainc.systems.shared.changes import (
    Change,
    Effect,
    FieldChange,
    Refusal,
    immutable,
    refusals,
    scaling,
    suspension,
)

_IMMUTABLE = (
    "spec.selector",
    "spec.completionMode",
    "spec.podFailurePolicy",
    "spec.backoffLimitPerIndex",
    "spec.managedBy",
    "spec.successPolicy",
)
_TEMPLATE = ("spec", "template")
# Scheduling directives of a suspended Job: https://kep.k8s.io/2926
_DIRECTIVES = (
    ("metadata", "annotations"),
    ("metadata", "labels"),
    ("spec", "affinity", "nodeAffinity"),
    ("spec", "nodeSelector"),
    ("spec", "schedulingGates"),
    ("spec", "tolerations"),
)


def effect_on_job(change: Change) -> Effect:
    """Return the effect of a change of a Job."""
    refused = (*immutable(change, *_IMMUTABLE), *_completions(change), *_template(change))
    if refused:
        return Effect(refused=refused)
    return suspension(change) or Effect(pods=scaling(*change.counts("spec", "parallelism")))


def _completions(change: Change) -> tuple[Refusal, ...]:
    fields = change.below("spec", "completions")
    if text(change.new, "spec", "completionMode") != "Indexed":
        return refusals(fields, "spec.completions is immutable unless the Job is Indexed")
    in_tandem = at(change.new, "spec", "completions") == at(change.new, "spec", "parallelism")
    return () if in_tandem else refusals(fields, "spec.completions can only change together with spec.parallelism")


def _template(change: Change) -> tuple[Refusal, ...]:
    fields = change.below(*_TEMPLATE)
    if not is_suspended(change.old):
        return refusals(fields, "spec.template is immutable")
    has_run = "status" not in change.old or bool(text(change.old, "status", "startTime"))  # which a file doesn't say
    allowed = _directives(change) if change.minor >= MUTABLE or not has_run else []
    allowed += [each for each in fields if change.minor >= MUTABLE and _is_resource(each)]
    return refusals(
        (each for each in fields if each not in allowed),
        "spec.template is immutable except for scheduling directives"
        + (" and resources" if change.minor >= MUTABLE else ""),
    )


def _directives(change: Change) -> list[FieldChange]:
    return [each for path in _DIRECTIVES for each in change.below(*_TEMPLATE, *path) if _is_directive(each, change)]


def _is_directive(field: FieldChange, change: Change) -> bool:
    """Return whether a change of `affinity` as a whole is one of the node affinity alone."""
    if field.path[-1] != "affinity":
        return len(field.path) > len(_TEMPLATE) + 1
    return all(
        set(at(each, *_TEMPLATE, "spec", "affinity") or {}) <= {"nodeAffinity"} for each in (change.old, change.new)
    )


def _is_resource(field: FieldChange) -> bool:
    return "resources" in field.path and field.path[3:4] in (("containers",), ("initContainers",))


EFFECTS = {"Job": effect_on_job}
