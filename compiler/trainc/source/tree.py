"""Build trees of nodes from values."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text, span_of


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
