"""Sizes of a Slurm allocation as fields of a job: nodes, tasks, GPUs, CPUs, memory and time."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainc.commandline.word import parse_count
from trainc.record import Record
from trainc.source.node import Scalar
from trainc.span import Span
from trainc.systems.command.reader.slurm_options import SlurmOption

_GRES_GPU = re.compile(r"^(?:gres/)?gpu(?::[a-z][\w.-]*)?(?::(\d{1,4}))?(?:\([^()]*\))?$", re.IGNORECASE)
_TYPED = re.compile(r"^(?:[a-z][\w.-]*:)?(\d{1,6})$", re.IGNORECASE)
_MEMORY = re.compile(r"(\d{1,12})([KMGT]?)B?", re.IGNORECASE)
# minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds
_TIME = re.compile(r"(?:(\d{1,4})-)?(\d{1,6})(?::(\d{1,2}))?(?::(\d{1,2}))?")
_UNITS = {"K": 1, "M": 1024, "": 1024, "G": 1024**2, "T": 1024**3}  # in KiB; without a unit it is MiB


class Size(Record):
    """Number, and the position of the option that says it."""

    number: int
    span: Span

    @property
    def scalar(self) -> Scalar:
        """The number as a value of the job."""
        return Scalar(self.number, str(self.number), self.span)


class Sizes(Record):
    """Sizes of each node, and the number of nodes; None where no option says one. `memory` is in KiB."""

    nodes: Size | None
    tasks: Size | None
    gpus: Size | None
    cpus: Size | None
    memory: Size | None
    seconds: Size | None
    uneven: Span | None  # of tasks that the nodes can't share equally


def read_sizes(options: Iterable[SlurmOption]) -> Sizes:
    """Return the sizes; a later option overrides an earlier one, as srun's do those of sbatch."""
    by_name = {option.name: option for option in options}

    def size(name: str, pattern: re.Pattern[str] = _TYPED) -> Size | None:
        option = by_name.get(name)
        match = pattern.fullmatch(option.value or "") if option else None
        return Size(number=int(match[1]), span=option.span) if option and match else None

    nodes = _nodes(by_name.get("nodes"))
    count = nodes.number if nodes else 1
    gres = by_name.get("gres")
    names = (gres.value or "").split(",") if gres else []
    gpu_match = next(filter(None, map(_GRES_GPU.match, names)), None)
    gpus = Size(number=int(gpu_match[1] or 1), span=gres.span) if gres and gpu_match else None
    gpus = size("gpus_per_node") or gpus or _divided(size("gpus"), count)
    total = size("ntasks")
    tasks = size("ntasks_per_node") or _divided(total, count) or _times(size("ntasks_per_gpu"), gpus)
    uneven = total.span if total is not None and tasks is None else None
    gpus = gpus or _times(size("gpus_per_task"), tasks or (_one(size("gpus_per_task"))))
    cpus = _times(size("cpus_per_task"), tasks or _one(size("cpus_per_task"))) or _times(size("cpus_per_gpu"), gpus)
    memory = _memory(by_name.get("mem")) or _times(_memory(by_name.get("mem_per_cpu")), cpus)
    memory = memory or _times(_memory(by_name.get("mem_per_gpu")), gpus)
    seconds = _seconds(by_name.get("time"))
    return Sizes(nodes=nodes, tasks=tasks, gpus=gpus, cpus=cpus, memory=memory, seconds=seconds, uneven=uneven)


def memory_quantity(kibibytes: int) -> str:
    """Return an amount of memory in the largest unit that keeps it whole."""
    for unit, size in (("Ti", 1024**3), ("Gi", 1024**2), ("Mi", 1024)):
        if kibibytes % size == 0:
            return f"{kibibytes // size}{unit}"
    return f"{kibibytes}Ki"


def _one(size: Size | None) -> Size | None:
    """Return the default of one task per node."""
    return size.replace(number=1) if size is not None else None


def _nodes(option: SlurmOption | None) -> Size | None:
    """Return the number of nodes, the most of `MIN-MAX`."""
    low, dash, high = (option.value or "").partition("-") if option else ("", "", "")
    count = parse_count(high if dash else low)
    return Size(number=count, span=option.span) if option and count and parse_count(low) else None


def _divided(size: Size | None, count: int) -> Size | None:
    """Return the part of a size that each of the nodes has; None if the parts differ."""
    if size is None or not count or size.number % count:
        return None
    return size.replace(number=size.number // count)


def _times(size: Size | None, other: Size | None) -> Size | None:
    return size.replace(number=size.number * other.number) if size is not None and other is not None else None


def _memory(option: SlurmOption | None) -> Size | None:
    match = _MEMORY.fullmatch(option.value or "") if option else None
    if option is None or match is None or not int(match[1]):
        return None
    return Size(number=int(match[1]) * _UNITS[match[2].upper()], span=option.span)


def _seconds(option: SlurmOption | None) -> Size | None:
    """Return a limit in seconds; None for no limit."""
    match = _TIME.fullmatch(option.value or "") if option else None
    if option is None or match is None:
        return None
    days, first, second, third = (int(group) if group else 0 for group in match.groups())
    if match[1] is not None or match[4] is not None:  # hours come first
        seconds = days * 86400 + first * 3600 + second * 60 + third
    else:
        seconds = first * 60 + second
    return Size(number=seconds, span=option.span) if seconds else None
