"""Translate the numbers of workers and processes."""

from __future__ import annotations

import re
from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.torchrun.options import WORD
from trainc.record import Record
from trainc.source.node import Node, Scalar, Sequence, build_tree
from trainc.span import Span, Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import coerce_string


class WorkerBounds(Record):
    """Bounds of the number of workers; `workers` and `elastic` as fields of the job, None if not needed.

    `launcher_fields` are the fields of launch.torchrun that an elastic policy sets, {} without a policy.
    """

    minimum: int
    maximum: int
    workers: Any = None
    elastic: Any = None
    launcher_fields: dict[str, Any] = {}


def count_node(section: ForeignMapping, name: str, value: int, span: Span | None = None) -> Scalar:
    """Return a number at its field's position; at `span`, or the section's start, if the field is absent."""
    where = section.where(name) if name in section else span or section.node.span.first
    return Scalar(value, str(value), where)


def elastic_fields(
    section: ForeignMapping, minimum: int, maximum: int, metrics: Node | None = None, span: Span | None = None
) -> Node:
    """Return `elastic` for bounds that may be defaults; without metrics no autoscaler is made."""
    where = span or section.node.span.first
    key = section.key("metrics") if "metrics" in section else Text("metrics", where)
    fields = {
        section.key("minReplicas"): count_node(section, "minReplicas", minimum, where),
        section.key("maxReplicas"): count_node(section, "maxReplicas", maximum, where),
        key: metrics if metrics is not None else Sequence([], where),
    }
    first = next((section.key(name).span for name in ("maxReplicas", "minReplicas") if name in section), where)
    return build_tree(fields, first if span is not None else section.node.span)


def processes_per_worker(section: ForeignMapping, name: str) -> Text | None:
    """Return a field that holds auto, the name of a device, or a number in a string; a bare number is corrected."""
    node = section.consume(name)
    if node is None:
        return None
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(node, Scalar) and isinstance(value, int) and not isinstance(value, bool):
        coerce_string(node, section.path_of(name), section.report)
        return Text(node.text, node.span)
    if isinstance(value, str) and (re.fullmatch(WORD, value) or parse_count(value) is not None):
        return Text(value, section.where(name))
    section.report.add_error(
        f"`{section.path_of(name)}` must be auto, cpu, gpu, xpu, another device or a number", section.where(name)
    )
    return None
