"""Processes in a pod against its GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.checks.shared.gpus import against_gpus
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.spec.launch import Deepspeed
from trainc.spec.torchrun import Torchrun


def check(case: Case) -> Iterator[Diagnostic]:
    """Where the job gives the number itself: by default it is that of the GPUs."""
    launch = case.spec.launch
    field = "slotsPerWorker" if isinstance(launch, Deepspeed) else "nprocPerNode"
    count = launch.nproc_per_node if isinstance(launch, Torchrun) else None
    if isinstance(launch, Deepspeed):
        count = launch.slots_per_worker
    if count is not None:
        help_ = f"leave {field} out for a process on each GPU"
        yield from against_gpus(case, count, launch.where(field), help_)
