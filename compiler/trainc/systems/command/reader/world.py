"""Nodes of a launch command."""

from __future__ import annotations

from trainc.diagnostics.message import Message
from trainc.record import Record
from trainc.source.node import Scalar, Sequence
from trainc.span import Span
from trainc.systems.shared.reader.launch_command import CommandReport

# Workers of a job whose command does not say their number, which is checked but never compiled.
UNSPECIFIED_WORKERS = 2


class Nodes(Record):
    """Fewest and most nodes, and the position of their number."""

    fewest: int
    most: int
    span: Span

    def fields(self, report: CommandReport) -> dict[str, object]:
        """Return `workers` and `elastic`; nothing scales a command's job."""
        workers = report.settings.count("spec.workers") or self.most
        scalar = Scalar(workers, str(workers), self.span)
        if self.fewest == self.most:
            return {"workers": scalar if workers > 1 else None}
        if report.settings.get("spec.workers") is None:
            message = f"the job has {workers} workers, the most of `{self.fewest}:{self.most}`: a command does not say"
            report.add_change(
                f"{message} how many nodes it runs on", self.span, help=Message("set {spec.workers} for fewer")
            )
        bounds = {
            name: Scalar(count, str(count), self.span)
            for name, count in (("minReplicas", self.fewest), ("maxReplicas", self.most))
        }
        return {"workers": scalar, "elastic": {**bounds, "metrics": Sequence([], self.span)}}


def required_nodes(report: CommandReport, message: str, span: Span) -> Nodes:
    """Return the nodes that the user sets; report that the command does not say their number."""
    report.require("spec.workers", message, span, "2")
    count = report.settings.count("spec.workers") or UNSPECIFIED_WORKERS
    return Nodes(fewest=count, most=count, span=span)


def fixed_nodes(report: CommandReport, count: int, span: Span) -> Nodes:
    """Return the nodes of the command, or those that the user sets instead."""
    count = report.settings.count("spec.workers") or count
    return Nodes(fewest=count, most=count, span=span)
