"""Changes of an object's fields, and their effect: what the `changes` part of a system takes and returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.plan.fields import Object, at, count, text
from trainc.plan.models import is_suspended
from trainc.record import Record
from trainc.typenames import Any, Literal

# Effect on the pods that run: none; the kubelet restarts containers in them; a controller replaces them all; it ends
# them; it starts them; it starts further ones, ends some of them, or both; unknown.
Pods = Literal["kept", "restarted", "replaced", "ended", "started", "added", "removed", "exchanged", "unknown"]
ITEM = "["  # first character of a step to an item of a list


class FieldChange(Record):
    """Field whose value changes; a value is None if the field is missing.

    A step of the path to an item of a list is its key or number in brackets. `applied` is the value that was applied
    before, if someone else has changed it since.
    """

    path: tuple[str, ...]
    old: Any
    new: Any
    applied: Any = None

    @property
    def name(self) -> str:
        """Path as kubectl writes it."""
        steps = (step if step.startswith(ITEM) else f"[{step}]" if "/" in step else f".{step}" for step in self.path)
        return "".join(steps).removeprefix(".")


class Refusal(Record):
    """Field that the API server or a webhook doesn't let change, and the reason."""

    field: str
    reason: str


class Change(Record):
    """Two versions of an object, and the fields in which they differ.

    `minor` is that of Kubernetes 1.x; `releases` are those of controllers that were named.
    """

    old: Object
    new: Object
    fields: tuple[FieldChange, ...]
    minor: int
    releases: dict[str, str] = {}

    def below(self, *path: str) -> tuple[FieldChange, ...]:
        """Return the changes at a path, below it, or of a value that contains it."""
        return tuple(each for each in self.fields if each.path[: len(path)] == path[: len(each.path)])

    def counts(self, *path: str) -> list[int]:
        """Return the old and the new number at a path, of which 1 is the default."""
        return [count(each, *path) for each in (self.old, self.new)]

    def values(self, *path: str) -> tuple[Any, Any]:
        """Return the old and the new value at a path without lists."""
        return at(self.old, *path), at(self.new, *path)


class Effect(Record):
    """Effect of a change on the object and the pods; a refused one has none.

    `reason` is a clause about the pods. With `is_pending` those that run keep the old version of what changes.
    `training` is the effect on it, if it doesn't follow from that on the pods.
    """

    refused: tuple[Refusal, ...] = ()
    pods: Pods = "kept"
    reason: str = ""
    is_pending: bool = False
    training: Literal["", "restarts", "fails", "needs re-creation"] = ""


def refusals(fields: Iterable[FieldChange], reason: str) -> tuple[Refusal, ...]:
    """Return a refusal of each field."""
    return tuple(Refusal(field=each.name, reason=reason) for each in fields)


def immutable(change: Change, *paths: str) -> Iterator[Refusal]:
    """Yield a refusal for each changed field at dotted paths."""
    for path in paths:
        yield from refusals(change.below(*path.split(".")), f"{path} is immutable")


def suspension(change: Change) -> Effect | None:
    """Return the effect on a job that is paused before or after the change; None for one that runs in both versions."""
    old, new = is_suspended(change.old), is_suspended(change.new)
    if old == new:
        return Effect() if new else None
    reason = f"the {text(change.new, 'kind')} is {'suspended' if new else 'resumed'}"
    return Effect(pods="ended" if new else "started", reason=reason)


def group_scaling(old: dict[str, int], new: dict[str, int]) -> Pods:
    """Return the effect of other numbers of pods by group: role or task."""
    adds = any(new[group] > old.get(group, 0) for group in new)
    removes = any(old[group] > new.get(group, 0) for group in old)
    return "exchanged" if adds and removes else "added" if adds else "removed" if removes else "kept"


def scaling(old: int, new: int) -> Pods:
    """Return the effect of another number of pods."""
    if old == new:
        return "kept"
    return "ended" if new == 0 else "started" if old == 0 else "added" if old < new else "removed"
