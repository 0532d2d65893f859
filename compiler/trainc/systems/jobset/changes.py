"""What JobSet's webhook lets change in a JobSet, and what its controller does then.

ValidateUpdate in https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.models import is_suspended
from trainc.systems.shared.changes import Change, Effect, FieldChange, Refusal, immutable, refusals, suspension

_TEMPLATE = ("template", "spec", "template")  # of a replicated job
# Of a JobSet that is suspended before or after the change.
MUTABLE = (
    *(("metadata", "annotations"), ("metadata", "labels")),
    *(("spec", "nodeSelector"), ("spec", "tolerations"), ("spec", "schedulingGates")),
)


def effect_on_job_set(change: Change) -> Effect:
    """Return the effect of a change of a JobSet."""
    refused = (*_replicated_jobs(change), *immutable(change, "spec.managedBy"))
    if refused:
        return Effect(refused=refused)
    return suspension(change) or Effect()


def _replicated_jobs(change: Change) -> Iterator[Refusal]:
    can_change = is_suspended(change.old) or is_suspended(change.new)
    reason = "spec.replicatedJobs is immutable"
    if can_change:
        reason += " except for labels, annotations, nodeSelector and tolerations of the pods"
    fields = change.below("spec", "replicatedJobs")
    yield from refusals((each for each in fields if not (can_change and _is_mutable(each))), reason)


def _is_mutable(field: FieldChange) -> bool:
    steps = field.path[3:]  # spec, replicatedJobs, the item
    return steps[:3] == _TEMPLATE and steps[3:5] in MUTABLE


EFFECTS = {"JobSet": effect_on_job_set}
