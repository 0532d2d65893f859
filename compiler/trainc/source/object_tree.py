"""Trees of objects that trainc emits, from plain values; values and keys of the user may have spans."""

from __future__ import annotations

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text, Traced
from trainc.typenames import Any


def object_tree(value: Any, span: Span) -> Node:
    """Return a value as a tree; parts without a span have that of their field, else of the whole.

    Rules read few fields, so the nodes of a mapping are created when it is read.
    """
    kind = type(value)
    if kind is str:
        return Scalar(value, value, span)
    span = getattr(value, "span", span)
    if kind is Text:
        return Scalar(value, str(value), span)
    if kind is dict or kind is Traced:
        return _Fields(value, span)
    if kind is Mapping or kind is Sequence:
        return value  # type: ignore[no-any-return]  # mypy does not narrow `value` by `kind`
    if kind is list or kind is tuple:
        return Sequence([object_tree(item, span) for item in value], span)
    text = str(value)
    return Scalar(value, text.lower() if kind is bool else text, span)


class _Fields(Mapping):
    __slots__ = ("_entries", "_fields")

    def __init__(self, fields: dict[str, Any], span: Span) -> None:
        self._fields: dict[Any, Any] = fields
        self._entries: dict[str, Entry] | None = None
        self.span = span

    @property
    def entries(self) -> dict[str, Entry]:  # type: ignore[override]  # read-only, unlike the attribute of Mapping
        if self._entries is None:
            self._entries = _entries(self._fields, self.span)
        return self._entries


def _entries(fields: dict[Any, Any], span: Span) -> dict[str, Entry]:
    if type(fields) is not Traced or not fields.entries:
        return {
            name: _Entry(name, object_tree(inner, span if type(name) is str else getattr(name, "span", span)))
            for name, inner in fields.items()
        }
    entries: dict[str, Entry] = {}
    for name, inner in fields.items():
        origin: Entry | None = fields.entries.get(name)
        entries[name] = _Entry(name, object_tree(inner, span if origin is None else origin.value.span), origin)
    return entries


class _Entry(Entry):
    """Entry whose key has the position of the user's key, if it is known, else of its value."""

    __slots__ = ("name", "origin")

    def __init__(self, name: str, value: Node, origin: Entry | None = None) -> None:
        self.name = name
        self.value = value
        self.origin = origin

    @property
    def key(self) -> Scalar:  # type: ignore[override]  # read-only, unlike the attribute of Entry
        span = self.value.span if self.origin is None else self.origin.key.span
        return Scalar(self.name, self.name, span)
