"""Positions of fields in a document."""

from __future__ import annotations

from typing import Any, NamedTuple

from trainc.diagnostics.remedy import Remedy, remedy_of
from trainc.schema.paths import Path
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Place, Span


class Step(NamedTuple):
    """Field on a path: its value, the span to report for it, and the places of its key and value.

    `is_value` if it is the whole path and a scalar.
    """

    node: Node
    span: Span
    places: tuple[Place, ...] = ()
    is_value: bool = False


def steps_to(document: Mapping, path: Path) -> list[Step]:
    """Return the document and the fields on a path, as far as they exist."""
    steps = [Step(document, document.where("kind"))]
    for number, name in enumerate(path, 1):
        node = steps[-1].node
        if isinstance(node, Mapping) and str(name) in node.entries:
            entry = node.entries[str(name)]
            inner, span = entry.value, node.where(str(name))
            places = [entry.key.span.place, inner.span.place, span.place]
        elif isinstance(node, Sequence) and isinstance(name, int) and name < len(node.items):
            inner = node.items[name]
            span = inner.span.first
            places = [inner.span.place, span.place]
        else:
            break
        is_value = number == len(path) and isinstance(inner, Scalar)
        steps.append(Step(inner, inner.span if is_value else span, tuple(places), is_value))
    return steps


def span_at(document: Mapping, path: Path) -> Span:
    """Return the span to report for the field at a path: a scalar itself, else the last key on the path that exists."""
    return steps_to(document, path)[-1].span


def remedy_at(document: Mapping, path: Path, fix: tuple[str, Any]) -> Remedy:
    """Return the remedy of a rejection."""
    steps = steps_to(document, path)
    return remedy_of(fix, steps[-1].span, None if len(steps) > len(path) else path)
