"""What the API server lets change in a StatefulSet, and what its controller does then.

ValidateStatefulSetUpdate in https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/apps/validation/validation.go,
https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#update-strategies, and in a queue of Kueue
https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/controller/jobs/statefulset/statefulset_webhook.go
"""

from __future__ import annotations

from trainc.plan.fields import text
from trainc.systems.shared.changes import Change, Effect, refusals, scaling
from trainc.well_known import QUEUE_LABEL

_MUTABLE = (
    *("replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "minReadySeconds"),
    "persistentVolumeClaimRetentionPolicy",
)


def effect_on_stateful_set(change: Change) -> Effect:
    """Return the effect of a change of a StatefulSet."""
    fixed = (each for each in change.below("spec") if each.path[1:2] and each.path[1] not in _MUTABLE)
    refused = refusals(fixed, "the spec of a StatefulSet is immutable except for its replicas and its template")
    counts = change.counts("spec", "replicas")
    if text(change.new, "metadata", "labels", QUEUE_LABEL) and 0 not in counts:
        refused += refusals(change.below("spec", "replicas"), "Kueue refuses another size of a StatefulSet that runs")
    if refused:
        return Effect(refused=refused)
    pods = scaling(*counts)
    if pods in ("ended", "started") or not change.below("spec", "template"):
        return Effect(pods=pods)
    if counts[1] == 0:
        return Effect()
    if text(change.new, "spec", "updateStrategy", "type") == "OnDelete":
        return Effect(pods=pods, is_pending=True, reason="updateStrategy OnDelete replaces no pod")
    return Effect(pods="replaced", reason="one after another, from the last to the first")


EFFECTS = {"StatefulSet": effect_on_stateful_set}
