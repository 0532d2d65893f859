"""Effect of applying the second version of each object to the first."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, Literal

from trainc.diff.drift import Drift, drift
from trainc.diff.fields import field_changes
from trainc.diff.live import applied_version, is_live
from trainc.diff.refusals import effect_on_companion, refusals_of_crd, refusals_of_kueue
from trainc.plan.fields import Object, api_group, identity, text, without_server_fields
from trainc.record import Record
from trainc.systems import registry
from trainc.systems.shared.changes import Change, Effect, FieldChange
from trainc.systems.shared.model import controllers

_Key = tuple[str, tuple[str, str]]  # API group, kind and name
Outcome = Literal["nothing", "in place", "rolling", "re-create", "created", "left over"]
_UNKNOWN = Effect(pods="unknown", reason="it is not known which fields of this kind can change")
# Kinds whose deletion deletes data.
KEEPS_DATA = ("PersistentVolumeClaim",)


class ObjectDiff(Record):
    """Object in two versions; one is empty if the object is created or left over.

    Deleted is one that the second version lacks: `kubectl apply` leaves it in the cluster.
    """

    old: Object
    new: Object
    outcome: Outcome
    fields: tuple[FieldChange, ...] = ()
    effect: Effect = Effect()
    drift: tuple[Drift, ...] = ()

    @property
    def some_version(self) -> Object:
        """The second version, or the first one of an object that is left over."""
        return self.new or self.old

    @property
    def name(self) -> str:
        """Kind and name as users write them."""
        return "/".join(identity(self.some_version))

    @property
    def kubectl_name(self) -> str:
        """Resource and name as kubectl accepts them, with the API group of a custom resource."""
        kind, name = identity(self.some_version)
        group = api_group(self.some_version)
        return f"{kind.lower()}{f'.{group}' if '.' in group and not group.endswith('.k8s.io') else ''}/{name}"

    @property
    def namespace(self) -> str:
        """Namespace; empty if the manifests have none."""
        return text(self.new, "metadata", "namespace") or text(self.old, "metadata", "namespace")


def object_diffs(
    old: Sequence[Object], new: Sequence[Object], minor: int, releases: dict[str, str]
) -> list[ObjectDiff]:
    """Return a difference for each object: those of the second version in their order, then those that it lacks."""
    names = {identity(each) for each in old}
    former = [each for each in old if not _is_created(each, names)]
    by_key: dict[_Key, list[Object]] = {}
    for each in former:
        by_key.setdefault(_key(each), []).append(each)
    pairs = [(_former_version(each, by_key.get(_key(each), [])), each) for each in new]
    matched = {id(each) for each, _ in pairs if each is not None}
    rest = [each for each in former if id(each) not in matched]
    return [
        *(_diff(before, without_server_fields(after), minor, releases) for before, after in pairs),
        *(ObjectDiff(old=each, new={}, outcome="left over") for each in rest),
    ]


def _is_created(each: Object, names: Set[tuple[str, str]]) -> bool:
    """Return whether a controller creates an object again, which for manifests is among those of these names."""
    owners = set(controllers(each))
    return bool(owners) and (is_live(each) or not owners.isdisjoint(names))


def _key(each: Object) -> _Key:
    return api_group(each), identity(each)


def _former_version(each: Object, same: Sequence[Object]) -> Object | None:
    """Return the old version of an object, among objects of its kind and name."""
    namespace = text(each, "metadata", "namespace")
    exact = [other for other in same if text(other, "metadata", "namespace") == namespace]
    either = [other for other in same if not namespace or not text(other, "metadata", "namespace")]
    return next(iter(exact or either), None)


def _diff(old: Object | None, new: Object, minor: int, releases: dict[str, str]) -> ObjectDiff:
    if old is None:
        return ObjectDiff(old={}, new=new, outcome="created")
    applied = applied_version(old) if is_live(old) else old
    fields = tuple(_compared(without_server_fields(old), new, new if applied is None else applied))
    others = tuple(drift(old, applied, new)) if is_live(old) and applied is not None else ()
    if not fields:
        return ObjectDiff(old=old, new=new, outcome="nothing", drift=others)
    effect = _effect(Change(old=old, new=new, fields=fields, minor=minor, releases=releases))
    outcome: Outcome = "re-create" if effect.refused else "rolling" if effect.pods == "replaced" else "in place"
    return ObjectDiff(old=old, new=new, outcome=outcome, fields=fields, effect=effect, drift=others)


def _compared(old: Object, new: Object, applied: Any) -> list[FieldChange]:
    ignored = ("apiVersion", "kind", "status")
    versions = (
        {name: each for name, each in version.items() if name not in ignored} for version in (old, new, applied)
    )
    changes = field_changes(*versions)
    return [each for each in changes if each.path[:2] not in (("metadata", "namespace"), ("metadata", "name"))]


def _effect(change: Change) -> Effect:
    queue = tuple(refusals_of_kueue(change))
    if all(each.path[0] == "metadata" for each in change.fields):
        return Effect(refused=queue)
    function = registry.effect(text(change.new, "kind"), text(change.new, "apiVersion"))
    effect: Effect = (function(change) if function else effect_on_companion(change)) or _UNKNOWN
    # The API server asks webhooks about an object that obeys its CRD.
    by_field = {each.field: each for each in (*effect.refused, *refusals_of_crd(change), *queue)}
    return Effect(refused=tuple(by_field.values())) if by_field else effect


def controls_pods(diff: ObjectDiff) -> bool:
    """Return whether pods follow from an object, or it is a Pod."""
    version = diff.some_version
    return registry.effect(text(version, "kind"), text(version, "apiVersion")) is not None


def has_ended(diff: ObjectDiff) -> bool:
    """Return whether a live object says that its job has ended."""
    system = registry.of_kind(text(diff.old, "kind"), text(diff.old, "apiVersion")) if is_live(diff.old) else None
    if system is None or "status" not in system.parts or not system.traits.has_controller:
        return False
    return system.part("status").observe(diff.old, []).outcome in ("succeeded", "failed")
