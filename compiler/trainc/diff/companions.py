"""What the API server lets change in objects next to a job: none of them has pods."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainc.plan.fields import at, text
from trainc.quantity import is_quantity, nanos
from trainc.systems.shared.changes import Change, Effect, Refusal, immutable, refusals

_SIZE = ("spec", "resources", "requests", "storage")
_WITHOUT_PODS = (
    *("Service", "Role", "ClusterRole", "ServiceAccount", "HorizontalPodAutoscaler", "NetworkPolicy"),
    *("PodDisruptionBudget", "PodGroup", "LocalQueue", "ResourceClaimTemplate", "Workload"),
)


def effect_on_companion(change: Change) -> Effect | None:
    """Return the effect of a change of an object without pods; None for an unknown kind."""
    kind = text(change.new, "kind")
    if kind not in _REFUSALS:
        return Effect() if kind in _WITHOUT_PODS else None
    return Effect(refused=tuple(_REFUSALS[kind](change)))


def _claim(change: Change) -> Iterator[Refusal]:
    """ValidatePersistentVolumeClaimUpdate in
    https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/core/validation/validation.go
    """
    is_pending = text(change.old, "status", "phase") == "Pending"
    reason = "the spec of a claim is immutable"
    for each in change.below("spec"):
        if each.path != _SIZE:
            yield from refusals([each], reason)
        elif is_pending:
            yield from refusals([each], f"{reason} until it is bound")
        elif _is_smaller(each.new, each.old):
            yield from refusals([each], "a claim cannot shrink")


def _is_smaller(new: object, old: object) -> bool:
    new_size, old_size = str(new), str(old)
    return is_quantity(new_size) and is_quantity(old_size) and nanos(new_size) < nanos(old_size)


def _contents(change: Change) -> Iterator[Refusal]:
    """https://kubernetes.io/docs/concepts/configuration/configmap/#configmap-immutable"""
    if at(change.old, "immutable") is True:
        yield from immutable(change, "data", "binaryData", "stringData", "immutable")
    yield from immutable(change, "type")


def _role(change: Change) -> Iterator[Refusal]:
    """https://kubernetes.io/docs/reference/access-authn-authz/rbac/#clusterrolebinding-example"""
    yield from immutable(change, "roleRef")


_REFUSALS: dict[str, Callable[[Change], Iterator[Refusal]]] = {
    "PersistentVolumeClaim": _claim,
    "ConfigMap": _contents,
    "Secret": _contents,
    "RoleBinding": _role,
    "ClusterRoleBinding": _role,
}
