"""Copies of a job with another node in one place; everything else is shared."""

from __future__ import annotations

from trainc.schema.paths import Path
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence


def with_node(root: Node, path: Path, value: Node) -> Node:
    """Return a tree with another node at a path; missing mappings are created."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        assert isinstance(root, Sequence)
        items = list(root.items)
        items[step] = with_node(items[step], rest, value)
        return Sequence(items, root.span)
    entries = root.entries if isinstance(root, Mapping) else {}
    entry = entries.get(step)
    inner = with_node(entry.value if entry else Mapping({}, root.span), rest, value)
    key = entry.key if entry else Scalar(step, step, root.span.first)
    return Mapping({**entries, step: Entry(key, inner)}, root.span)
