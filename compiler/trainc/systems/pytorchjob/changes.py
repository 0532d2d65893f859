"""What the training operator does with a changed PyTorchJob. Its webhook compares nothing with the former version.

ValidateUpdate in
https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/webhooks/pytorch/pytorchjob_webhook.go, ReconcilePods in
https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/controller.v1/common/pod.go
"""

from __future__ import annotations

from trainc.plan.fields import Object, mapping, number
from trainc.systems.shared.changes import Change, Effect, Pods, suspension

_ROLES = ("spec", "pytorchReplicaSpecs")
# Fields from which the operator sets variables of the pods.
_VARIABLES = ("nprocPerNode", "elasticPolicy")


def effect_on_pytorch_job(change: Change) -> Effect:
    """Return the effect of a change of a PyTorchJob."""
    suspended = suspension(change, "spec", "runPolicy", "suspend")
    if suspended:
        return Effect(pods=suspended, reason=f"the PyTorchJob is {'suspended' if suspended == 'ended' else 'resumed'}")
    if mapping(change.new, "spec", "runPolicy").get("suspend") is True:
        return Effect()
    is_pending = bool(change.below(*_ROLES)) or any(change.below("spec", field) for field in _VARIABLES)
    reason = "the operator doesn't change pods that run" if is_pending else ""
    old, new = _replicas(change.old), _replicas(change.new)
    adds = any(new[role] > old.get(role, 0) for role in new)
    removes = any(old[role] > new.get(role, 0) for role in old)
    pods: Pods = "exchanged" if adds and removes else "added" if adds else "removed" if removes else "kept"
    return Effect(pods=pods, is_pending=is_pending, reason=reason)


def _replicas(resource: Object) -> dict[str, int]:
    counts = ((role, number(spec, "replicas")) for role, spec in mapping(resource, *_ROLES).items())
    return {role: 1 if count is None else count for role, count in counts}


EFFECTS = {"PyTorchJob": effect_on_pytorch_job}
