"""Nodes of a launch command, and the variables and GPUs of its pods."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.commandline.word import Word
from trainc.diagnostics.message import Message
from trainc.record import Record
from trainc.source.node import Scalar, Sequence
from trainc.span import Span, Text
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand

# Workers of a job whose command does not say their number, which is checked but never compiled.
UNSPECIFIED_WORKERS = 2
# Devices of the node that a process sees: https://docs.nvidia.com/cuda/cuda-c-programming-guide/, and AMD's.
_DEVICES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
# Variables that torch.distributed reads, which every pod has of its own.
OF_PROCESS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
# Variables that scripts set differently on each node.
_OF_NODE = ("NODE_RANK", "MACHINE_RANK", "GROUP_RANK", "HOSTNAME")


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


class Environment:
    """Variables of the pods, and the number of GPUs that a variable names, None without one."""

    def __init__(
        self,
        command: LaunchCommand,
        report: CommandReport,
        own: Iterable[str] = OF_PROCESS,
        read: Iterable[str] = (),
        of_launch: Iterable[str] = (),
    ) -> None:
        """Translate the variables.

        The launcher sets `own`, trainc sets `of_launch` in each pod, and those in `read` have become options.
        """
        self.report = report
        self.gpus: int | None = None
        self.gpus_span: Span | None = None
        self.variables: dict[str, Scalar] = {}
        self.of_launch = frozenset(of_launch)
        own, read = frozenset(own), frozenset(read)
        for name, value in command.env.items():
            if value is not None and value.span is not None and name not in read:
                self._add(Text(name, value.span), value, value.span, own)

    @property
    def pod_gpus(self) -> int:
        """Number of GPUs of a pod."""
        gpus = self.report.settings.gpus
        return (self.gpus or 0) if gpus is None else gpus

    def request_gpus(self, count: int | None, where: Span, reason: str) -> None:
        """Request a GPU for each of `count` processes of a pod, unless the user or a variable says the number."""
        if self.gpus is None and self.report.settings.gpus is None and count:
            self.gpus, self.gpus_span = count, where
            message = f"each pod requests {count} GPU{'s' * (count > 1)}: {reason}"
            self.report.add_change(message, where, help="set spec.resources.gpu for another number")

    def ask_for_gpus(self, span: Span, example: int = 8) -> None:
        """Warn that the job requests no GPUs, unless their number is known."""
        if self.gpus is None:
            self.report.ask_for_gpus(span, example)

    def _add(self, name: Text, value: Word, span: Span, own: frozenset[str]) -> None:
        if name in self.of_launch:
            self.report.add_change(f"`{name}` is left out: trainc sets it in each pod", span)
        elif name in own:
            self.report.add_change(f"`{name}` is left out: every process gets its own", span)
        elif name in _OF_NODE:
            self.report.add_change(f"`{name}` is left out: it differs between the nodes", span)
        elif name in _DEVICES and value.known:
            devices = [each for each in value.text.split(",") if each.strip()]
            self.gpus, self.gpus_span = len(devices), span
            message = f"`{name}` is left out: each pod sees only its own GPUs, which it numbers from 0"
            self.report.add_change(message, span)
        elif value.known and not value.text.startswith("~"):
            text = value.text.replace("$(", "$$(")
            self.variables[name] = Scalar(text, text, span)
        elif self.report.settings.get(f"spec.env.{name}") is None:
            why = "only the running shell knows its value"
            self.report.add_dropped(name, span, why, help=f"set spec.env.{name} if the program needs it")
