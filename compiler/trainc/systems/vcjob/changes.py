"""What Volcano's webhook lets change in a Job, and what its controller does then. Read in the source, not run.

validateJobUpdate of pkg/webhooks/admission/jobs/validate/admit_job.go, mutateSpec of .../mutate/mutate_job.go, and
syncJob and deletePod of pkg/controllers/job in https://github.com/volcano-sh/volcano/tree/v1.15.1
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.systems.shared.changes import Change, Effect, FieldChange, Pods, Refusal, refusals
from trainc.systems.vcjob.facts import MAX_RETRY

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
    old, new = _replicas(change.old), _replicas(change.new)
    adds = any(new[task] > old.get(task, 0) for task in new)
    removed = [task for task in old if old[task] > new.get(task, 0)]
    if removed:
        action = next(filter(None, (_action(change.new, task) for task in removed)), "")
        if action in _ON_REMOVAL:
            reason = f"to Volcano a pod that it removes is evicted, for which the Job has the policy {action}"
            return Effect(pods=_ON_REMOVAL[action], reason=reason)
    pods: Pods = "exchanged" if adds and removed else "added" if adds else "removed" if removed else "kept"
    return Effect(pods=pods)


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
    return {text(task, "name"): number(task, "replicas") or 0 for task in items(resource, "spec", "tasks")}


def _action(resource: Object, name: str) -> str:
    """Return the action of the first policy for an evicted pod of a task, whose own policies come first."""
    spec = mapping(resource, "spec")
    policies = [each for task in items(spec, "tasks") if text(task, "name") == name for each in items(task, "policies")]
    for each in (*policies, *items(spec, "policies")):
        if {"PodEvicted", "*"} & {text(each, "event"), *map(str, listed(each, "events"))}:
            return text(each, "action")
    return ""


EFFECTS = {"Job": effect_on_volcano_job}
