"""Fold workers that differ only in their index into rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.quantity import format_range
from trainc.plan.world import Worker, count_pods
from trainc.record import Record

INDEX = "‹i›"


class Row(Record):
    """Consecutive workers that differ only in their index."""

    workers: tuple[Worker, ...]

    @property
    def first(self) -> Worker:
        """Worker with the lowest index."""
        return self.workers[0]

    @property
    def last(self) -> Worker:
        """Worker with the highest index."""
        return self.workers[-1]

    @property
    def count(self) -> int:
        """Number of pods."""
        return count_pods(self.workers)

    @property
    def ranks(self) -> str:
        """Ranks of all processes; empty if unknown before the pods run."""
        ranks = [worker.ranks for worker in self.workers if worker.ranks is not None]
        if len(ranks) != len(self.workers):
            return ""
        return format_range(min(low for low, _ in ranks), max(high for _, high in ranks))

    @property
    def nodes(self) -> str:
        """Node ranks of all workers; empty if unknown before the pods run."""
        ranks = [worker.node_rank for worker in self.workers if worker.node_rank is not None]
        return format_range(min(ranks), max(ranks)) if len(ranks) == len(self.workers) else ""

    @property
    def names(self) -> list[str]:
        """DNS names, with a placeholder for the index if there are several workers."""
        if self.count == 1:
            return list(self.first.names)
        return [mask_index(name, self.first) for name in self.first.names]


def fold_workers(workers: Sequence[Worker]) -> list[Row]:
    """Return all workers in as few rows as possible, in their order."""
    rows: list[list[Worker]] = []
    for worker in workers:
        if rows and _differ_in_index_only(rows[-1][-1], worker):
            rows[-1].append(worker)
        else:
            rows.append([worker])
    return [Row(workers=tuple(row)) for row in rows]


def mask_index(text: str, worker: Worker) -> str:
    """Replace the worker's index with a placeholder: in its hostname, and where a whole word or value is the index.

    The number in a pod's name may be another than its index, which then shows as an offset: `‹i+1›`.
    """
    host, number, index = worker.pod.hostname, worker.pod.number, worker.pod.index
    before, equals, value = text.rpartition("=")
    if value == str(number):
        return before + equals + INDEX
    if value == str(index):
        return f"{before}{equals}{INDEX[:-1]}{index - number:+d}›"
    return text.replace(host, host.removesuffix(str(number)) + INDEX)


def _differ_in_index_only(a: Worker, b: Worker) -> bool:
    if _shared(a) != _shared(b):
        return False
    static = a.launch.has_launcher and a.launch.rendezvous == "static"
    if static and a.node_rank is not None and b.node_rank != a.node_rank + a.pod.multiplicity:
        return False
    pairs = zip(_texts(a), _texts(b), strict=True)
    return all(own == other or mask_index(own, a) == mask_index(other, b) for own, other in pairs)


def _shared(worker: Worker) -> tuple[object, ...]:
    pod, launch, container = worker.pod, worker.launch, worker.container
    placement = (pod.owner, pod.on_scale_up, worker.is_rendezvous_host, worker.usage, container.image)
    endpoint = (launch.rendezvous_host, launch.port, launch.backend)
    lengths = (len(container.argv), len(container.env), len(worker.names))
    return (*placement, launch.launcher, launch.processes, launch.nodes, *endpoint, *lengths)


def _texts(worker: Worker) -> Iterator[str]:
    yield from worker.container.argv
    for variable in worker.container.env:
        yield from (variable.name, variable.value)
    yield from worker.names
