"""Requests and limits of the training container, and what `network` adds to it."""

from __future__ import annotations

from trainc.ir.env import INTERFACE_VARIABLES, EnvVar
from trainc.ir.pod import LOCK_MEMORY
from trainc.record import Record
from trainc.spec.job import TrainingJob
from trainc.spec.worker import GPU_CORES, GPU_MEMORY, Resources


def lower_resources(resources: Resources) -> tuple[dict[str, str], dict[str, str]]:
    """Return requests and limits by Kubernetes' names. GPUs are in both, as the API server requires."""
    both = dict(resources.both)
    gpu = resources.gpu
    if gpu is not None and gpu.count > 0:
        both[gpu.resource] = str(gpu.count)
        if gpu.memory is not None:
            both[GPU_MEMORY] = str(gpu.memory)
        if gpu.cores is not None:
            both[GPU_CORES] = str(gpu.cores)
    return {**both, **resources.requests}, {**both, **resources.limits}


class PodNetwork(Record):
    """What `network` adds to a pod; `host` for the node's network."""

    env: tuple[EnvVar, ...] = ()
    devices: dict[str, str]
    capabilities: tuple[str, ...] = ()
    host: bool = False


def lower_network(job: TrainingJob) -> PodNetwork:
    """Return variables, devices and capabilities; nothing for a job without `network`."""
    network = job.network
    if network is None:
        return PodNetwork(devices={})
    env: tuple[EnvVar, ...] = ()
    if network.interface is not None:
        span = network.interface.span
        env = tuple(EnvVar(name=name, value=network.interface, origin=span) for name in INTERFACE_VARIABLES)
    rdma = network.rdma
    return PodNetwork(
        env=env,
        devices={rdma.resource: str(rdma.count)} if rdma else {},
        capabilities=(LOCK_MEMORY,) if rdma else (),
        host=network.host_network,
    )
