"""Network of the workers: variables, devices and capabilities."""

from __future__ import annotations

from trainc.ir.env import INTERFACE_VARIABLES, EnvVar
from trainc.ir.pod import LOCK_MEMORY
from trainc.record import Record
from trainc.spec.job import TrainingJob


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
