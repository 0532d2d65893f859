"""Tree of a YAML document: scalars, mappings and sequences, each with its span.

Readers build trees from trees, so that a value keeps its position in the file that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.span import Span, Text
from trainc.typenames import Any

Value = str | int | float | bool | None


class Scalar:
    """Leaf: `value` as YAML 1.2 reads it, `text` as typed."""

    __slots__ = ("span", "text", "value")

    def __init__(self, value: Value, text: str, span: Span) -> None:
        self.value = value
        self.text = text
        self.span = span


class Entry:
    """`key: value` of a mapping."""

    __slots__ = ("key", "value")

    def __init__(self, key: Scalar, value: Node) -> None:
        self.key = key
        self.value = value


class Mapping:
    """Mapping with string keys, in the order of the file."""

    __slots__ = ("entries", "span")

    def __init__(self, entries: dict[str, Entry], span: Span) -> None:
        self.entries = entries
        self.span = span

    def get(self, key: str) -> Node | None:
        """Return the value of a key, or None."""
        entry = self.entries.get(key)
        return entry.value if entry else None

    def items(self) -> Iterator[tuple[str, Node]]:
        """Iterate over keys with their values."""
        return ((key, entry.value) for key, entry in self.entries.items())

    def where(self, key: str) -> Span:
        """Return the span for diagnostics of a field: its value if that is a scalar, else its key, else the mapping."""
        entry = self.entries.get(key)
        if entry is None:
            return self.span
        value = entry.value
        return value.span if isinstance(value, Scalar) and not value.span.empty else entry.key.span


class Sequence:
    """List of nodes."""

    __slots__ = ("items", "span")

    def __init__(self, items: list[Node], span: Span) -> None:
        self.items = items
        self.span = span


Node = Scalar | Mapping | Sequence


def scalar_text(node: Node | None) -> str:
    """Return a scalar as typed; an empty string for anything else."""
    return node.text if isinstance(node, Scalar) else ""


def mappings(node: Node | None) -> list[Mapping]:
    """Return the items of a list that are mappings; none for anything else."""
    return [item for item in node.items if isinstance(item, Mapping)] if isinstance(node, Sequence) else []


def plain(node: Node) -> Any:
    """Return the tree as plain dicts, lists and values; strings keep their spans."""
    if isinstance(node, Scalar):
        value = node.value
        return Text(value, node.span) if isinstance(value, str) else value
    if isinstance(node, Mapping):
        return {key: plain(entry.value) for key, entry in node.entries.items()}
    return [plain(item) for item in node.items]
