"""Changes that are refused by the rules of a CRD, by Kueue, or in objects next to a job, which have no pods."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainc.diff.live import is_live
from trainc.plan.fields import Object, at, text
from trainc.plan.models import is_suspended
from trainc.quantity import is_quantity, nanos
from trainc.schema.rules.transitions import immutable_fields
from trainc.systems import registry
from trainc.systems.shared.changes import Change, Effect, Refusal, immutable, refusals
from trainc.target import Target
from trainc.well_known import QUEUE_LABEL

_SIZE = ("spec", "resources", "requests", "storage")
_WITHOUT_PODS = (
    *("Service", "Role", "ClusterRole", "ServiceAccount", "HorizontalPodAutoscaler", "NetworkPolicy"),
    *("PodDisruptionBudget", "PodGroup", "LocalQueue", "ResourceClaimTemplate", "Workload"),
)


def refusals_of_crd(change: Change) -> Iterator[Refusal]:
    """Yield the refusals of changes in immutable fields."""
    name = _schema(change)
    for path in sorted(immutable_fields(name, change.old, change.new)) if name else ():
        field = "".join(step if step.startswith("[") else f".{step}" for step in path).removeprefix(".")
        yield from refusals(change.below(*path), f"{field} is immutable")


def _schema(change: Change) -> str:
    """Return the file with the schema of an object; empty without one."""
    kind, version = text(change.new, "kind"), text(change.new, "apiVersion")
    own = registry.of_kind(kind, version)
    system = own or registry.of_template(kind, version)
    if system is None or version not in system.traits.api_versions[:1] or not system.traits.operator:
        return ""
    target = Target(versions=change.releases).for_resource(system.traits, version)
    return target.schema if own else next(iter(target.pod_schema or ()), "")


def refusals_of_kueue(change: Change) -> Iterator[Refusal]:
    """Yield the refusals of another queue for a job that isn't suspended; Kueue suspends live ones that wait.

    Read in the source, not run: validateUpdateForQueueName in
    https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/controller/jobframework/validation.go
    """
    old, new = change.values("metadata", "labels", QUEUE_LABEL)
    system = registry.of_kind(text(change.new, "kind"), text(change.new, "apiVersion"))
    if old == new or system is None or system.traits.queued == "never":
        return
    if not _is_paused(change.new) and not (is_live(change.old) and _is_paused(change.old)):
        fields = change.below("metadata", "labels", QUEUE_LABEL)
        yield from refusals(fields, "Kueue refuses another queue for a job that is not suspended")


def _is_paused(resource: Object) -> bool:
    return is_suspended(resource) or at(resource, "spec", "replicas") == 0


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
