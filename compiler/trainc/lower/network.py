"""The workers' network: variables, devices and rights."""

from __future__ import annotations

from trainc.ir.env import EnvVar
from trainc.record import Record
from trainc.spec.job import TrainingJob

# https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname
# https://docs.pytorch.org/docs/stable/distributed.html#choosing-the-network-interface-to-use
INTERFACE = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")
# RDMA pins the memory that it reads and writes, beyond what a process may lock without it.
LOCK_MEMORY = "IPC_LOCK"


class Wired(Record):
    """What a network adds to a pod. `host`: the pods use their node's own."""

    env: tuple[EnvVar, ...] = ()
    devices: dict[str, str]
    capabilities: tuple[str, ...] = ()
    host: bool = False


def lower_network(job: TrainingJob) -> Wired:
    """Nothing where the job says nothing: the cluster's network is found without help."""
    network = job.network
    if network is None:
        return Wired(devices={})
    env: tuple[EnvVar, ...] = ()
    if network.interface is not None:
        span = network.interface.span
        env = tuple(EnvVar(name=name, value=network.interface, origin=span) for name in INTERFACE)
    rdma = network.rdma
    return Wired(
        env=env,
        devices={rdma.resource: str(rdma.count)} if rdma else {},
        capabilities=(LOCK_MEMORY,) if rdma else (),
        host=network.host_network,
    )
