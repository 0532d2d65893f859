"""World of a job: the rank of each worker, and the sizes that the world can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from trainc.diagnostics.codes import Code
from trainc.diagnostics.finding import Finding
from trainc.plan.container import Container
from trainc.plan.expand import is_resolved
from trainc.plan.launch import WorkerLaunch
from trainc.plan.pods import Pod, ReplicaRange
from trainc.plan.sample import UnpredictablePodsError
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

    def finding(
        self,
        message: str,
        is_harmless: bool = False,
        help: str | None = None,
        about: tuple[str, ...] = (),
        code: Code | None = None,
    ) -> Finding:
        """Return a fault of this worker."""
        where = self.pod.hostname
        return Finding(where=where, message=message, is_harmless=is_harmless, help=help, about=about, code=code)


class WorldSize(Record):
    """World at one number of pods. `name` is minimum, initial, maximum or fixed; `nodes` is 0 below the minimum."""

    name: str
    pods: int
    nodes: int = 0
    world: int | None = 0
    gpus: Fraction = Fraction(0)
    cpus: Fraction = Fraction(0)
    memory: Fraction = Fraction(0)


def count_pods(workers: Iterable[Worker]) -> int:
    """Return the number of pods for which the workers stand."""
    return sum(worker.pod.multiplicity for worker in workers)


def assign_ranks(workers: Sequence[Worker]) -> list[Worker]:
    """Return the workers with their ranks, as the launchers assign them."""
    launch = workers[0].launch if workers else None
    if launch is None or launch.is_standalone:
        return [_with_rank(worker, 0, 0) for worker in workers]
    if launch.rendezvous in ("external", "unknown"):
        return list(workers)  # in the order in which they arrive, or as a plug-in decides
    if launch.rendezvous == "peer":
        if any(not is_resolved(worker.launch.local_addr) for worker in workers):
            return list(workers)  # addresses that only the running pods know
        return _by_address(workers)
    ranked = []
    for worker in workers:
        own, first = worker.launch, worker.launch.rank
        if "rank" in own.unknown:
            first = None
        elif first is None and own.node_rank is not None:
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
    if count_pods(workers) > len(workers):
        return _by_number(workers, addresses)
    first: int | None = 0
    for node, position in enumerate(sorted(range(len(workers)), key=addresses.__getitem__)):
        ranked[position] = _with_rank(workers[position], node, first)
        processes = workers[position].launch.processes
        first = None if first is None or processes is None else first + processes
    return ranked


def _by_number(workers: Sequence[Worker], addresses: Sequence[str]) -> list[Worker]:
    """Rank sampled workers by address, where addresses differ in the pod's number and have as many processes each."""
    first, count = workers[0], count_pods(workers)
    prefix, processes = addresses[0].removesuffix(".").partition(".")[0], first.launch.processes
    prefix = prefix.removesuffix(str(first.pod.number))
    ranked = []
    for worker, address in zip(workers, addresses, strict=True):
        low, number = first.pod.number, worker.pod.number
        if worker.launch.processes != processes or not f"{address}.".startswith(f"{prefix}{number}."):
            raise UnpredictablePodsError
        node = _count_before(number, low + count) - _count_before(number, low)
        ranked.append(_with_rank(worker, node, None if processes is None else node * processes))
    return ranked


def _count_before(number: int, end: int) -> int:
    """Return how many numbers below `end` come before a number in the order of their text."""
    text, count = str(number), 0
    for digits in range(1, len(str(max(end - 1, 0))) + 1):
        low, high = (10 ** (digits - 1) if digits > 1 else 0), min(10**digits, end)
        # A shorter text comes before one that it begins.
        bound = int(text[:digits]) + 1 if digits < len(text) else number * 10 ** (digits - len(text))
        count += max(0, min(bound, high) - low)
    return count


def _address(pod: Pod) -> str:
    return f"{pod.hostname}.{pod.subdomain}." if pod.subdomain else pod.hostname


def _with_rank(worker: Worker, node: int | None, first: int | None) -> Worker:
    processes = worker.launch.processes
    ranks = None if first is None or not processes else (first, first + processes - 1)
    return worker.replace(node_rank=node, ranks=ranks)


def world_sizes(
    workers: Sequence[Worker], size: ReplicaRange, restarts: tuple[int, int] | None = None
) -> list[WorldSize]:
    """Return the only size of a fixed job; the minimum, initial and maximum size of any other.

    `restarts` are the fewest and most workers with which a controller restarts a launcher of a fixed world size.
    """
    if not workers:
        return []
    launch = workers[0].launch
    if restarts is not None and not launch.is_elastic:
        pods = zip(("minimum", "initial", "maximum"), (restarts[0], size.initial, restarts[1]), strict=True)
        return [_world_size(name, workers, count, count) for name, count in pods]
    if not launch.is_elastic and size.minimum == size.maximum:
        counts = [("fixed", size.initial)]
    else:
        least = max(launch.nodes[0], 1) if launch.nodes and launch.is_elastic else size.minimum
        counts = [("minimum", min(least, size.maximum)), ("initial", size.initial), ("maximum", size.maximum)]
    return [_world_size(name, workers, count, _nodes(launch.nodes, count)) for name, count in counts]


def _nodes(bounds: tuple[int, int] | None, pods: int) -> int:
    """Return the number of nodes that take part; 0 below the minimum."""
    if bounds is None:
        return pods
    return 0 if pods < bounds[0] else min(pods, bounds[1])


def _world_size(name: str, workers: Sequence[Worker], pods: int, nodes: int) -> WorldSize:
    running = list(take(workers, pods))
    processes = [(worker.launch.processes, count) for worker, count in take(workers, nodes)]
    is_known = workers[0].launch.has_launcher or pods < 2  # without a launcher the program decides the world
    is_known = is_known and all(each is not None for each, _ in processes)
    return WorldSize(
        name=name,
        pods=pods,
        nodes=nodes,
        world=sum((each or 0) * n for each, n in processes) if is_known else None,
        gpus=sum((worker.usage.gpus * count for worker, count in running), Fraction(0)),
        cpus=sum((worker.usage.cpus * count for worker, count in running), Fraction(0)),
        memory=sum((worker.usage.memory * count for worker, count in running), Fraction(0)),
    )


def take(workers: Sequence[Worker], pods: int) -> Iterator[tuple[Worker, int]]:
    """Yield the workers of the first pods, each with the number of pods for which it stands; the last with the rest."""
    for worker in workers:
        if pods <= 0:
            return
        count = pods if worker is workers[-1] else min(worker.pod.multiplicity, pods)
        yield worker, count
        pods -= count
