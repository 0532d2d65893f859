"""Tree of a YAML document: scalars, mappings and sequences, each with its span.

Readers build trees from trees, so that a value keeps its position in the file that it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.span import Number, Source, Span, Text, Traced, span_of
from trainc.typenames import Any

Value = str | int | float | bool | None

# The core schema of YAML 1.2, https://yaml.org/spec/1.2.2/#103-core-schema, without infinities and NaN, which no field
# accepts and JSON doesn't have.
_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_START = frozenset("0123456789+-.")
_NUMBER = frozenset("0123456789abcdefABCDEF+-.xo")
# Larger numbers are strings: JSON would lose their digits, and no field accepts them.
_MAX_INT = 2**63 - 1
_MAX_LENGTH = 40  # characters; Python refuses to parse very long ones


def resolve(text: str) -> Value:
    """Return the value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START or len(text) > _MAX_LENGTH or not _NUMBER.issuperset(text):
        return text
    if text.isdigit() or (text[0] in "+-" and text[1:].isdigit()):
        if text.lstrip("+-")[0] == "0" and text not in ("0", "-0", "+0"):
            return text  # `0400` is 400 in YAML 1.2, and 256 for kubectl, which reads YAML 1.1
        whole = int(text)
    elif re.fullmatch("0o[0-7]+|0x[0-9a-fA-F]+", text):
        whole = int(text, 0)
    elif re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", text):
        return float(text) if abs(float(text)) != float("inf") else text
    else:
        return text
    return whole if abs(whole) <= _MAX_INT else text


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


def all_mappings(node: Node) -> Iterator[Mapping]:
    """Yield the mappings of a tree, each before those in it."""
    if isinstance(node, Mapping):
        yield node
        for entry in node.entries.values():
            yield from all_mappings(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from all_mappings(item)


def plain(node: Node) -> Any:
    """Return the tree as dicts, lists and values; strings, whole numbers and mappings keep their spans."""
    if isinstance(node, Scalar):
        value = node.value
        if isinstance(value, str):
            return Text(value, node.span)
        return Number.at(value, node.span) if type(value) is int else value
    if isinstance(node, Mapping):
        entries = node.entries
        traced = Traced({key: plain(entry.value) for key, entry in entries.items()})
        traced.span, traced.entries = node.span, entries
        return traced
    return [plain(item) for item in node.items]


def build_tree(value: Any, span: Span) -> Node:
    """Return a node for any mix of dicts, lists, scalars and nodes; fields whose value is None are left out.

    Values without a position of their own get `span`, the position that they are derived from.
    """
    if isinstance(value, Scalar | Mapping | Sequence):
        return value
    if isinstance(value, dict):
        nodes = {key: build_tree(inner, span_of(key) or span) for key, inner in value.items() if inner is not None}
        keys = {key: Scalar(str(key), str(key), span_of(key) or start(node)) for key, node in nodes.items()}
        return Mapping({str(key): Entry(keys[key], node) for key, node in nodes.items()}, span)
    if isinstance(value, list | tuple):
        return Sequence([build_tree(item, span) for item in value if item is not None], span)
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return Scalar(str(value) if isinstance(value, Text) else value, str(text), span_of(value) or span)


def start(node: Node) -> Span:
    """Return the position to report for a node: a scalar, or the first character of a collection."""
    return node.span if isinstance(node, Scalar) else node.span.first


class Change:
    """Change of a document from elsewhere: an option of the command line or a file of values, which is its `source`."""

    source: Source

    def apply(self, node: Node) -> Node:
        """Return the changed document. Raises Rejected if the change does not fit."""
        raise NotImplementedError
