"""Processes in each pod."""

from __future__ import annotations

from trainc.launchers.torchrun.spec import Torchrun
from trainc.lower.resources import gpus
from trainc.spec.job import TrainingJob
from trainc.spec.launch import Deepspeed


def processes_per_pod(job: TrainingJob) -> int | str:
    """A number, or the word by which torchrun counts on the node (auto, cpu, gpu).

    Default: one for each GPU, and one with basic. torchrun's own `auto` counts the node's CPUs when it sees no GPU,
    not the pod's.
    """
    launch = job.launch
    if isinstance(launch, Torchrun):
        return launch.nproc_per_node or max(1, gpus(job.resources))
    if isinstance(launch, Deepspeed):
        return launch.slots_per_worker or max(1, gpus(job.resources))
    return launch.nproc_per_node
