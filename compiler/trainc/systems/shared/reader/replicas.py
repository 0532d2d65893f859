"""Translate the numbers of workers and processes; a launcher's own number of nodes overrides an operator's bounds."""

from __future__ import annotations

import re
from typing import Any

from trainc.commandline.word import Word, parse_count, words
from trainc.launchers.find_launchers import calls
from trainc.launchers.node_count import NodeCount, node_count
from trainc.launchers.registry import VARIABLE_PREFIXES
from trainc.launchers.torchrun.options import WORD
from trainc.record import Record
from trainc.source.node import Node, Scalar, Sequence, build_tree
from trainc.span import Span, Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
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


def launcher_nodes(main: TranslatedPod, entrypoint: str = "") -> NodeCount | None:
    """Return the number of nodes of the launcher that the container certainly starts; None if that isn't known.

    A launcher in a script file is unknown. `entrypoint` is the command of an image whose container has only arguments.
    """
    prefixes = tuple(VARIABLE_PREFIXES.values())  # an operator's variables and arguments override the user's
    env = {name: words([value])[0] for name, value in main.literal_env().items() if not name.startswith(prefixes)}
    before = [Word(text=entrypoint)] if entrypoint and not main.command else []
    launchers = calls([*before, *words([*main.command, *main.args])], {**env}, plugins=True)
    return node_count(launchers[0]) if len(launchers) == 1 else None


def overridden_bounds(
    section: ForeignMapping, own: NodeCount | None, bounds: tuple[int, int], total: int
) -> tuple[int, int]:
    """Return the bounds of an elastic job that nothing scales; report those that its launcher's own ones override."""
    if own is None or (own.fewest, own.most) == bounds:
        return bounds
    nodes = str(own.fewest) if own.fewest == own.most else f"{own.fewest} to {own.most}"
    nodes += " node" if own.most == 1 else " nodes"
    for name in ("minReplicas", "maxReplicas"):
        if name in section:
            message = f"`{name}` has no effect: nothing scales the job, and its launcher has {nodes} by an option"
            section.report.add_change(message, section.where(name))
    return (own.fewest, own.most) if own.fewest != own.most else (total, total)


def report_unreached_maximum(section: ForeignMapping, workers: int, maximum: int) -> None:
    """Report the maximum of an elastic job that only its user can scale."""
    if "maxReplicas" in section and maximum > workers:
        message = f"nothing scales the job: it has {workers} worker{'s' * (workers > 1)}, as before, until you scale it"
        section.report.add_change(message, section.where("maxReplicas"))
