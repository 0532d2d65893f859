"""Translate numbers of workers and of processes per worker."""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.source.node import Node, Scalar, Sequence
from trainc.span import Span, Text
from trainc.systems.shared.reader.coercion import coerce_string
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import parse_count

PROCESS_NAMES = ("auto", "cpu", "gpu")


class WorkerBounds(Record):
    """Bounds of the number of workers; `workers` and `elastic` as fields of the job, None if not needed."""

    minimum: int
    maximum: int
    workers: Any
    elastic: dict[Any, Any] | None = None


def count_node(section: ForeignMapping, name: str, value: int, span: Span | None = None) -> Scalar:
    """Return a number at its field's position; at `span`, or the section's start, if the field is absent."""
    where = section.where(name) if name in section else span or section.node.span.first
    return Scalar(value, str(value), where)


def elastic_fields(
    section: ForeignMapping, minimum: int, maximum: int, metrics: Node | None = None, span: Span | None = None
) -> dict[Any, Any]:
    """Return `elastic` for bounds that may be defaults; without metrics no autoscaler is made."""
    where = span or section.node.span.first
    key = section.key("metrics") if "metrics" in section else Text("metrics", where)
    return {
        section.key("minReplicas"): count_node(section, "minReplicas", minimum, where),
        section.key("maxReplicas"): count_node(section, "maxReplicas", maximum, where),
        key: metrics if metrics is not None else Sequence([], where),
    }


def processes_per_worker(section: ForeignMapping, name: str) -> Text | None:
    """Return a field that holds auto, cpu, gpu or a number in a string; a bare number is corrected."""
    node = section.consume(name)
    if node is None:
        return None
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(node, Scalar) and isinstance(value, int) and not isinstance(value, bool):
        coerce_string(node, section.path_of(name), section.report)
        return Text(node.text, node.span)
    if isinstance(value, str) and (value in PROCESS_NAMES or parse_count(value) is not None):
        return Text(value, section.where(name))
    section.report.add_error(f"`{section.path_of(name)}` must be auto, cpu, gpu or a number", section.where(name))
    return None
