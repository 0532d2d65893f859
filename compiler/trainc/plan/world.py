"""World of a job: the rank of each worker, and the sizes that the world can have."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from trainc.plan.container import Container
from trainc.plan.expand import is_resolved
from trainc.plan.launch import WorkerLaunch
from trainc.plan.pods import Pod, ReplicaRange
from trainc.plan.usage import Usage
from trainc.record import Record


class Worker(Record):
    """Worker pod. `position` is its index among all pods; `ranks` are the first and the last, None if unknown.

    `names` are the DNS names that resolve to it alone.
    """

    pod: Pod
    position: int
    container: Container
    init_containers: tuple[Container, ...]
    usage: Usage
    launch: WorkerLaunch
    names: tuple[str, ...]
    node_rank: int | None = None
    ranks: tuple[int, int] | None = None
    is_rendezvous_host: bool = False


class Finding(Record):
    """Fault of the manifests: where it is, and what is wrong."""

    where: str
    message: str


def worker_finding(worker: Worker, message: str) -> Finding:
    """Return a fault of one worker."""
    return Finding(where=worker.pod.hostname, message=message)


class WorldSize(Record):
    """World at one number of pods. `name` is minimum, initial, maximum or fixed; `nodes` is 0 below the minimum."""

    name: str
    pods: int
    nodes: int = 0
    world: int | None = 0
    gpus: Fraction = Fraction(0)
    cpus: Fraction = Fraction(0)
    memory: Fraction = Fraction(0)


def assign_ranks(workers: Sequence[Worker]) -> list[Worker]:
    """Return the workers with their ranks, as the launchers assign them."""
    launch = workers[0].launch if workers else None
    if launch is None or launch.is_standalone:
        return [_with_rank(worker, 0, 0) for worker in workers]
    if launch.rendezvous == "external":
        return list(workers)  # in the order in which they arrive
    if launch.rendezvous == "peer":
        if any(not is_resolved(worker.launch.local_addr) for worker in workers):
            return list(workers)  # addresses that only the running pods know
        return _by_address(workers)
    ranked = []
    for worker in workers:
        own, first = worker.launch, worker.launch.rank
        if first is None and own.node_rank is not None:
            if own.slots:
                first = sum(slots for _, slots in own.slots[: own.node_rank])
            elif own.processes is not None:
                first = own.node_rank * own.processes
        ranked.append(_with_rank(worker, own.node_rank, first))
    return ranked


def _by_address(workers: Sequence[Worker]) -> list[Worker]:
    """c10d ranks nodes in the order of their addresses, which are their full names: `demo-10` is before `demo-2`.

    https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py: ranks
    are given to sorted(participants), each an address from socket.getfqdn().
    """
    addresses = [worker.launch.local_addr or _address(worker.pod) for worker in workers]
    ranked = list(workers)
    first: int | None = 0
    for node, position in enumerate(sorted(range(len(workers)), key=addresses.__getitem__)):
        ranked[position] = _with_rank(workers[position], node, first)
        processes = workers[position].launch.processes
        first = None if first is None or processes is None else first + processes
    return ranked


def _address(pod: Pod) -> str:
    return f"{pod.hostname}.{pod.subdomain}." if pod.subdomain else pod.hostname


def _with_rank(worker: Worker, node: int | None, first: int | None) -> Worker:
    processes = worker.launch.processes
    ranks = None if first is None or not processes else (first, first + processes - 1)
    return worker.replace(node_rank=node, ranks=ranks)


def world_sizes(workers: Sequence[Worker], size: ReplicaRange) -> list[WorldSize]:
    """Return the only size of a fixed job; the minimum, initial and maximum size of any other."""
    if not workers:
        return []
    launch = workers[0].launch
    if not launch.is_elastic and size.minimum == size.maximum:
        return [_world_size("fixed", workers, size.initial)]
    least = max(launch.nodes[0], 1) if launch.nodes and launch.is_elastic else size.minimum
    return [
        _world_size("minimum", workers, min(least, size.maximum)),
        _world_size("initial", workers, size.initial),
        _world_size("maximum", workers, size.maximum),
    ]


def _world_size(name: str, workers: Sequence[Worker], pods: int) -> WorldSize:
    bounds, running = workers[0].launch.nodes, workers[:pods]
    nodes = len(running)
    if bounds is not None:
        nodes = 0 if nodes < bounds[0] else min(nodes, bounds[1])
    processes = [worker.launch.processes for worker in running[:nodes]]
    return WorldSize(
        name=name,
        pods=pods,
        nodes=nodes,
        world=None if None in processes else sum(count or 0 for count in processes),
        gpus=sum((worker.usage.gpus for worker in running), Fraction(0)),
        cpus=sum((worker.usage.cpus for worker in running), Fraction(0)),
        memory=sum((worker.usage.memory for worker in running), Fraction(0)),
    )
