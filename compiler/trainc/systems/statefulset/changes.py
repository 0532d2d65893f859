"""What the API server lets change in a StatefulSet, and what its controller does then.

ValidateStatefulSetUpdate in https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/apps/validation/validation.go,
https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#update-strategies
"""

from __future__ import annotations

from trainc.plan.fields import number, text
from trainc.systems.shared.changes import Change, Effect, refusals, scaling

_MUTABLE = (
    *("replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "minReadySeconds"),
    "persistentVolumeClaimRetentionPolicy",
)


def effect_on_stateful_set(change: Change) -> Effect:
    """Return the effect of a change of a StatefulSet."""
    fixed = (each for each in change.below("spec") if each.path[1:2] and each.path[1] not in _MUTABLE)
    refused = refusals(fixed, "the spec of a StatefulSet is immutable except for its replicas and its template")
    if refused:
        return Effect(refused=refused)
    counts = (1 if (count := number(each, "spec", "replicas")) is None else count for each in (change.old, change.new))
    pods = scaling(*counts)
    if pods in ("ended", "started") or not change.below("spec", "template"):
        return Effect(pods=pods)
    if number(change.new, "spec", "replicas") == 0:
        return Effect()
    if text(change.new, "spec", "updateStrategy", "type") == "OnDelete":
        return Effect(pods=pods, is_pending=True, reason="updateStrategy OnDelete replaces no pod")
    return Effect(pods="replaced", reason="the StatefulSet replaces its pods one after another")


EFFECTS = {"StatefulSet": effect_on_stateful_set}
