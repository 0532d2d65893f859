"""What the training operator does with a changed PyTorchJob. Its webhook compares nothing with the former version.

ValidateUpdate in
https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/webhooks/pytorch/pytorchjob_webhook.go, ReconcilePods in
https://github.com/kubeflow/training-operator/blob/v1.9.3/pkg/controller.v1/common/pod.go
"""

from __future__ import annotations

from trainc.plan.fields import Object, count, mapping
from trainc.systems.shared.changes import Change, Effect, group_scaling, suspension

_ROLES = ("spec", "pytorchReplicaSpecs")
# Fields from which the operator sets variables of the pods.
_VARIABLES = ("nprocPerNode", "elasticPolicy")


def effect_on_pytorch_job(change: Change) -> Effect:
    """Return the effect of a change of a PyTorchJob."""
    suspended = suspension(change)
    if suspended:
        return suspended
    is_pending = bool(change.below(*_ROLES)) or any(change.below("spec", field) for field in _VARIABLES)
    reason = "the operator doesn't change pods that run" if is_pending else ""
    pods = group_scaling(_replicas(change.old), _replicas(change.new))
    return Effect(pods=pods, is_pending=is_pending, reason=reason)


def _replicas(resource: Object) -> dict[str, int]:
    return {role: count(spec, "replicas") for role, spec in mapping(resource, *_ROLES).items()}


EFFECTS = {"PyTorchJob": effect_on_pytorch_job}
