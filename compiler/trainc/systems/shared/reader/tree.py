"""Builds trees of our language from values and from nodes of a foreign document, which keep their places."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text, span_of


def build_tree(value: Any, span: Span) -> Node:
    """A node for dicts, lists, scalars and nodes in any mix; a field whose value is None is left out.

    What has no place of its own is at `span`, the place of what it was concluded from.
    """
    if isinstance(value, Scalar | Mapping | Sequence):
        return value
    if isinstance(value, dict):
        nodes = {key: build_tree(inner, span_of(key) or span) for key, inner in value.items() if inner is not None}
        return Mapping({str(key): _entry(key, node) for key, node in nodes.items()}, span)
    if isinstance(value, list | tuple):
        return Sequence([build_tree(item, span) for item in value if item is not None], span)
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return Scalar(str(value) if isinstance(value, Text) else value, str(text), span_of(value) or span)


def _entry(key: str, value: Node) -> Entry:
    return Entry(Scalar(str(key), str(key), span_of(key) or _start(value)), value)


def _start(node: Node) -> Span:
    """Where a key without a place of its own is: at what a value of several lines begins with."""
    if isinstance(node, Scalar):
        return node.span
    return node.span.first


def entries_with_positions(node: Mapping) -> dict[str, Node]:
    """A foreign mapping's entries under keys that keep their places, for a new mapping to be built of."""
    return {Text(key, entry.key.span): entry.value for key, entry in node.entries.items()}
