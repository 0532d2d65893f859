"""Trees of objects that trainc emits: plain values, of which those of the user have spans."""

from __future__ import annotations

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text, Traced
from trainc.typenames import Any


def object_tree(value: Any, span: Span) -> Node:
    """Return a value as a tree; parts without a span have the span of the whole.

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
        self._fields = fields
        self._entries: dict[str, Entry] | None = None
        self.span = span

    @property
    def entries(self) -> dict[str, Entry]:  # type: ignore[override]  # read-only, unlike the attribute of Mapping
        if self._entries is None:
            fields = self._fields.items()
            self._entries = {name: _Entry(name, object_tree(inner, self.span)) for name, inner in fields}
        return self._entries


class _Entry(Entry):
    """Entry whose key has the position of its value."""

    __slots__ = ("name",)

    def __init__(self, name: str, value: Node) -> None:
        self.name = name
        self.value = value

    @property
    def key(self) -> Scalar:  # type: ignore[override]  # read-only, unlike the attribute of Entry
        return Scalar(self.name, self.name, self.value.span)
