"""How many pods a PyTorchTrainingJob has, and may have.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#弹性训练
"""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.source.node import Sequence
from trainc.systems.pytorchtrainingjob.reader.roles import Roles
from trainc.systems.shared.reader.foreign import Foreign
from trainc.systems.shared.t9k.reader import spelt


class Size(Record):
    """Bounds of the number of pods; `workers` and `elastic` as we write them."""

    low: int
    high: int
    workers: Any
    elastic: dict[Any, Any] | None


def size(spec: Foreign, found: Roles, with_torchrun: bool) -> Size:
    """How many pods there are, and may be."""
    fixed = Size(low=found.total, high=found.total, workers=found.counted() if found.total > 1 else None, elastic=None)
    names = ("minReplicas", "maxReplicas", "expectedReplicas")
    section = spelt(spec.section("elastic"), "enabled", *names)
    if section is None or not section.flag("enabled") or not with_torchrun:
        if section is not None and any(name in section for name in names):
            why = "without torchrun" if section.flag("enabled") else "where it isn't enabled"
            section.report.changed(f"`spec.elastic` has no effect {why}", spec.key("elastic").span)
        if section is not None:
            section.skip(*names)
        return fixed
    low, high, expected = (section.number(name) for name in names)
    start = expected if expected is not None else found.total
    least = low if low is not None else start
    most = high if high is not None else max(least, start)
    if least == most:
        return fixed.replace(low=least, high=most, workers=most if most > 1 else None)
    elastic = {
        section.key("minReplicas"): _node(section, "minReplicas", least),
        section.key("maxReplicas"): _node(section, "maxReplicas", most),
        # The controller has no metrics: somebody sets expectedReplicas.
        section.key("metrics"): Sequence([], section.node.span.first),
    }
    workers = _node(section, "expectedReplicas", expected) if expected is not None else found.counted()
    return Size(low=least, high=most, workers=workers, elastic=elastic)


def _node(section: Foreign, name: str, value: int) -> Any:
    """The node itself, for its place."""
    return section.node.get(name) if name in section else value
