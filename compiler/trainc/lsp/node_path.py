"""Path of the field at a position of a text that is YAML, also in a mapping in flow style."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.lsp.positions import Positions
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Sequence
from trainc.span import Source


def path_at(text: str, offset: int) -> tuple[str, ...]:
    """Return the path of the innermost field whose key or value has an offset; empty if the text is no YAML."""
    documents, problems = load(Source("", text))
    if problems:
        return ()
    positions = Positions(text)
    return tuple(next((path for each in documents if (path := tuple(_steps(each, offset, positions)))), ()))


def _steps(node: Node, offset: int, positions: Positions) -> Iterator[str]:
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            start, end = positions.offsets(entry.key.span)[0], positions.offsets(entry.value.span)[1]
            if start <= offset < max(end, start + 1):
                yield name
                yield from _steps(entry.value, offset, positions)
                return
    elif isinstance(node, Sequence):
        for item in node.items:
            start, end = positions.offsets(item.span)
            if start <= offset < end:
                yield from _steps(item, offset, positions)
                return
