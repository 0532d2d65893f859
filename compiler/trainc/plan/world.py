"""The world that the pods of a job form together: who is which rank, and how large it can be."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from trainc.plan.container import Container
from trainc.plan.expand import is_resolved
from trainc.plan.launch.worker_launch import WorkerLaunch
from trainc.plan.pods import Pod, ReplicaRange
from trainc.plan.usage import Usage
from trainc.record import Record


class Worker(Record):
    """A worker. `place` is its index among all pods; ranks are the first and the last, None if nobody knows before.

    `before` are its init containers. It `hosts` if it is where all others meet.
    """

    pod: Pod
    position: int
    container: Container
    init_containers: tuple[Container, ...]
    usage: Usage
    launch: WorkerLaunch
    names: tuple[str, ...]
    node_rank: int | None
    ranks: tuple[int, int] | None
    is_rendezvous_host: bool = False


class Finding(Record):
    """A fault: where, and what is wrong."""

    where: str
    message: str


class WorldSize(Record):
    """The world at one number of pods: `nodes` is 0 where too few are there to begin."""

    name: str
    pods: int
    nodes: int
    world: int | None
    gpus: Fraction
    cpus: Fraction
    memory: Fraction


def assign_ranks(members: Sequence[Worker]) -> list[Worker]:
    """The members with their ranks, as the launchers give them."""
    first = members[0].launch if members else None
    if first is not None and first.is_standalone:
        return [_with(one, 0, 0) for one in members]
    if first is not None and first.launcher == "torchrun" and first.backend == "c10d":
        if any(not is_resolved(one.launch.local_addr) for one in members):
            return list(members)  # addresses that only the pods know
        return _sorted(members)
    if first is not None and first.launcher == "torchrun" and first.backend != "static":
        return list(members)  # etcd's numbers are the order in which they come
    done = []
    for one in members:
        before = one.launch.rank
        if before is None and one.launch.node_rank is not None and one.launch.slots:
            before = sum(slots for _, slots in one.launch.slots[: one.launch.node_rank])
        elif before is None and one.launch.node_rank is not None and one.launch.processes is not None:
            before = one.launch.node_rank * one.launch.processes
        done.append(_with(one, one.launch.node_rank, before))
    return done


def _sorted(members: Sequence[Worker]) -> list[Worker]:
    """c10d numbers the nodes in the order of their addresses, which are their full names: `demo-10` is before `demo-2`.

    https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py: ranks
    are given to sorted(participants), each an address from socket.getfqdn().
    """
    order = sorted(
        range(len(members)), key=lambda place: members[place].launch.local_addr or _address(members[place].pod)
    )
    node_of = {place: node for node, place in enumerate(order)}
    starts: dict[int, int | None] = {}
    before: int | None = 0
    for place in order:
        starts[place] = before
        processes = members[place].launch.processes
        before = None if before is None or processes is None else before + processes
    return [_with(one, node_of[place], starts[place]) for place, one in enumerate(members)]


def _address(pod: Pod) -> str:
    return f"{pod.hostname}.{pod.subdomain}." if pod.subdomain else pod.hostname


def _with(one: Worker, node: int | None, before: int | None) -> Worker:
    processes = one.launch.processes
    ranks = None if before is None or not processes else (before, before + processes - 1)
    return one.replace(node_rank=node, ranks=ranks)


def world_sizes(members: Sequence[Worker], size: ReplicaRange) -> list[WorldSize]:
    """One for a fixed job; the smallest, first and largest of one that can be of several sizes."""
    if not members:
        return []
    bounds = members[0].launch.nodes
    elastic = members[0].launch.launcher == "torchrun" and bounds is not None and bounds[0] != bounds[1]
    if not elastic and size.minimum == size.maximum:
        return [_stage("", members, size.initial)]
    fewest = max(bounds[0], 1) if elastic and bounds else size.minimum
    return [
        _stage("at least", members, min(fewest, size.maximum)),
        _stage("at first", members, size.initial),
        _stage("at most", members, size.maximum),
    ]


def _stage(name: str, members: Sequence[Worker], pods: int) -> WorldSize:
    bounds = members[0].launch.nodes
    there = members[:pods]
    nodes = len(there)
    if bounds is not None and members[0].launch.launcher == "torchrun":
        nodes = 0 if nodes < bounds[0] else min(nodes, bounds[1])
    counted = [one.launch.processes for one in there[:nodes]]
    known = [one for one in counted if one is not None]
    return WorldSize(
        name=name,
        pods=pods,
        nodes=nodes,
        world=sum(known) if len(known) == len(counted) else None,
        gpus=sum((one.usage.gpus for one in there), Fraction(0)),
        cpus=sum((one.usage.cpus for one in there), Fraction(0)),
        memory=sum((one.usage.memory for one in there), Fraction(0)),
    )
