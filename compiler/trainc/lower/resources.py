"""Requests and limits of the training container, and what `network` adds to it."""

from __future__ import annotations

from trainc.ir.env import INTERFACE_VARIABLES, EnvVar
from trainc.spec.job import TrainingJob
from trainc.spec.worker import GPU_CORES, GPU_MEMORY, Rdma, Resources
from trainc.tpu import TPU


def lower_resources(resources: Resources, rdma: Rdma | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return requests and limits by Kubernetes' names. Devices are in both, as the API server requires."""
    gpu = resources.gpu
    both = dict(resources.both)
    if gpu is not None and gpu.count > 0:
        both[gpu.resource] = str(gpu.count)
        if gpu.memory is not None:
            both[GPU_MEMORY] = str(gpu.memory)
        if gpu.cores is not None:
            both[GPU_CORES] = str(gpu.cores)
    if resources.tpu is not None:
        both[TPU] = str(resources.tpu.chips_per_worker)
    devices = {rdma.resource: str(rdma.count)} if rdma else {}
    return {**both, **resources.requests, **devices}, {**both, **resources.limits, **devices}


def interface_env(job: TrainingJob) -> tuple[EnvVar, ...]:
    """Return the variables that select the network interface."""
    interface = job.network.interface if job.network else None
    if interface is None:
        return ()
    return tuple(EnvVar(name=name, value=interface, origin=interface.span) for name in INTERFACE_VARIABLES)
