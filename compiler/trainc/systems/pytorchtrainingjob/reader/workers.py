"""How many pods a PyTorchTrainingJob has, and may have.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#弹性训练
"""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.source.node import Sequence
from trainc.systems.pytorchtrainingjob.reader.roles import MergedRoles
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.t9k.reader import correct_names


class WorkerBounds(Record):
    """Bounds of the number of pods; `workers` and `elastic` as we write them."""

    minimum: int
    maximum: int
    workers: Any
    elastic: dict[Any, Any] | None


def worker_bounds(spec: ForeignMapping, found: MergedRoles, with_torchrun: bool) -> WorkerBounds:
    """How many pods there are, and may be."""
    fixed = WorkerBounds(
        minimum=found.total,
        maximum=found.total,
        workers=found.worker_count() if found.total > 1 else None,
        elastic=None,
    )
    names = ("minReplicas", "maxReplicas", "expectedReplicas")
    section = correct_names(spec.section("elastic"), "enabled", *names)
    if section is None or not section.boolean("enabled") or not with_torchrun:
        if section is not None and any(name in section for name in names):
            why = "without torchrun" if section.boolean("enabled") else "where it isn't enabled"
            section.report.add_change(f"`spec.elastic` has no effect {why}", spec.key("elastic").span)
        if section is not None:
            section.ignore(*names)
        return fixed
    low, high, expected = (section.integer(name) for name in names)
    start = expected if expected is not None else found.total
    least = low if low is not None else start
    most = high if high is not None else max(least, start)
    if least == most:
        return fixed.replace(minimum=least, maximum=most, workers=most if most > 1 else None)
    elastic = {
        section.key("minReplicas"): _node(section, "minReplicas", least),
        section.key("maxReplicas"): _node(section, "maxReplicas", most),
        # The controller has no metrics: somebody sets expectedReplicas.
        section.key("metrics"): Sequence([], section.node.span.first),
    }
    workers = _node(section, "expectedReplicas", expected) if expected is not None else found.worker_count()
    return WorkerBounds(minimum=least, maximum=most, workers=workers, elastic=elastic)


def _node(section: ForeignMapping, name: str, value: int) -> Any:
    """The node itself, for its place."""
    return section.node.get(name) if name in section else value
