"""Remedies: what a rule's help does, as steps on values of the file, and fixes, which are edits of its text.

schema/remedies.py makes a fix of a remedy. A remedy is safe if the job keeps its meaning: the value had no
effect, or only one other value can be meant.
"""

from __future__ import annotations

from trainc.record import Record
from trainc.span import Span
from trainc.typenames import Any, Literal

# What to do, where, and with what. A place is that of a key, a value or an item, for `rewrite` of a part of a value. A
# field that is set has a path.
Action = Literal["remove", "replace", "rename", "rewrite", "move", "put"]
Step = tuple[Action, Span | None, Any]


class Remedy:
    """Steps that are taken together."""

    __slots__ = ("is_safe", "steps")

    def __init__(self, steps: tuple[Step, ...], is_safe: bool) -> None:
        self.steps = steps
        self.is_safe = is_safe

    def __add__(self, other: Remedy) -> Remedy:
        return Remedy(self.steps + other.steps, self.is_safe and other.is_safe)


def remove(*places: Span | None, safe: bool = False) -> Remedy:
    """Remove fields and items; an item of a list, like a variable, by its name, too."""
    return Remedy(tuple(("remove", place, None) for place in places), safe)


def replace(place: Span | None, value: Any, safe: bool = False) -> Remedy:
    """Replace a value, or an item by those of a tuple."""
    return Remedy((("replace", place, value),), safe)


def rename(place: Span | None, name: str, safe: bool = False) -> Remedy:
    """Rename a field."""
    return Remedy((("rename", place, name),), safe)


def rewrite(place: Span | None, text: str, safe: bool = False) -> Remedy:
    """Replace a part of a string."""
    return Remedy((("rewrite", place, text),), safe)


def move(place: Span | None, path: str, safe: bool = False) -> Remedy:
    """Move a value to another field, whose path starts with `spec.`, or with `..` for the mapping around its own."""
    return Remedy((("move", place, path),), safe)


def put(path: str | tuple[str | int, ...], value: Any, safe: bool = False) -> Remedy:
    """Set a field of the document that has the finding; a string is a path like `spec.launch`."""
    return Remedy((("put", None, (tuple(path.split(".")) if isinstance(path, str) else path, value)),), safe)


def remedy_of(fix: tuple[str, Any], place: Span, missing: tuple[str | int, ...] | None = None) -> Remedy:
    """Return the remedy of a finding at its place; `missing` is the path of a field that the object lacks.

    Of a rejected job a missing value has no other meaning.
    """
    action, value = fix
    if action == "rename":
        return rename(place, value, safe=True)
    if action == "move":
        return move(place, value, safe=True)
    if action == "remove":
        return remove(place)
    return replace(place, value) if missing is None else put(missing, value, safe=True)


class Edit(Record):
    """Text in place of a span, which is empty for an insertion."""

    span: Span
    text: str


class Fix(Record):
    """Edits of one source, which don't overlap. A fix that isn't safe is a guess at what was intended."""

    edits: tuple[Edit, ...]
    is_safe: bool
