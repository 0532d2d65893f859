"""Positions of fields in a document."""

from __future__ import annotations

from trainc.source.node import Mapping, Scalar, Sequence
from trainc.span import Span

Path = tuple[str | int, ...]


def span_at(document: Mapping, path: Path) -> Span:
    """Return the span to report for the field at a path: a scalar itself, else the last key on the path that exists."""
    node, span = document, document.where("kind")
    current: Mapping | Sequence | Scalar = node
    for step in path:
        if isinstance(current, Mapping) and str(step) in current.entries:
            span, current = current.where(str(step)), current.entries[str(step)].value
        elif isinstance(current, Sequence) and isinstance(step, int) and step < len(current.items):
            current = current.items[step]
            span = current.span.first
        else:
            break
    return span
