"""What Volcano's webhook lets change in a Job, and what its controller does then. Read in the source, not run.

validateJobUpdate of pkg/webhooks/admission/jobs/validate/admit_job.go, mutateSpec of .../mutate/mutate_job.go, and
syncJob and deletePod of pkg/controllers/job in https://github.com/volcano-sh/volcano/tree/v1.15.1
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import Object, items, number
from trainc.systems.shared.changes import Change, Effect, FieldChange, Pods, Refusal, group_scaling, refusals
from trainc.systems.vcjob.facts import MAX_RETRY
from trainc.systems.vcjob.lifecycle import action
from trainc.systems.vcjob.model.spec import read_job

_MUTABLE = ("minAvailable", "priorityClassName")
_MUTABLE_IN_TASK = ("replicas", "minAvailable")
_IMMUTABLE = "a Job of Volcano is immutable except for minAvailable, priorityClassName and the replicas of its tasks"
_LARGE_GANG = "minAvailable cannot exceed the replicas of all tasks"
# https://github.com/volcano-sh/volcano/issues/2238
_DEFAULTED = (
    f"Volcano's webhook has set maxRetry: {MAX_RETRY} in each task without one, and refuses tasks that lack it again:"
    " set it in the manifest"
)
# Effect of the action for an evicted pod, which a pod that the controller removes is, too: deletePod, applyPolicies.
_ON_REMOVAL: dict[str, Pods] = {
    **dict.fromkeys(("RestartJob", "RestartTask"), "replaced"),
    **dict.fromkeys(("AbortJob", "TerminateJob", "CompleteJob"), "ended"),
}


def effect_on_volcano_job(change: Change) -> Effect:
    """Return the effect of a change of a Job of Volcano."""
    refused = tuple(_refused(change))
    if refused:
        return Effect(refused=refused)
    old, new, job = _replicas(change.old), _replicas(change.new), read_job(change.new)
    removed = (task for task in job.tasks if old.get(task.name, 0) > task.replicas)
    policy = next(filter(None, (action(job, task, "PodEvicted") for task in removed)), "")
    if policy in _ON_REMOVAL:
        reason = f"to Volcano a pod that it removes is evicted, for which the Job has the policy {policy}"
        return Effect(pods=_ON_REMOVAL[policy], reason=reason)
    return Effect(pods=group_scaling(old, new))


def _refused(change: Change) -> Iterator[Refusal]:
    fixed = tuple(each for each in change.below("spec") if not _is_mutable(each))
    if fixed:
        yield from refusals(fixed, _IMMUTABLE)
    elif any(number(task, "maxRetry") in (None, 0) for task in items(change.new, "spec", "tasks")):
        yield from refusals(change.below("spec"), _DEFAULTED)
    else:
        # By default that of the creation: patchDefaultMinAvailable.
        minimum = number(change.new, "spec", "minAvailable") or number(change.old, "spec", "minAvailable")
        if (minimum or sum(_replicas(change.old).values())) > sum(_replicas(change.new).values()):
            yield from refusals(change.below("spec", "tasks"), _LARGE_GANG)


def _is_mutable(field: FieldChange) -> bool:
    name = field.path[1:2]
    return (name == ("tasks",) and field.path[3:] in [(each,) for each in _MUTABLE_IN_TASK]) or (
        len(field.path) == 2 and field.path[1] in _MUTABLE
    )


def _replicas(resource: Object) -> dict[str, int]:
    return {task.name: task.replicas for task in read_job(resource).tasks}


EFFECTS = {"Job": effect_on_volcano_job}
