"""Fold workers that differ only in their index into rows."""

from __future__ import annotations

from collections.abc import Sequence

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
        if rows and _is_alike(rows[-1][-1], worker):
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


def _is_alike(a: Worker, b: Worker) -> bool:
    if _shared(a) != _shared(b) or len(a.names) != len(b.names):
        return False
    static = a.launch.has_launcher and a.launch.rendezvous == "static"
    if static and a.node_rank is not None and b.node_rank != a.node_rank + a.pod.multiplicity:
        return False
    texts = ((a.container.argv, b.container.argv), (_variables(a), _variables(b)), (a.names, b.names))
    return all(_differ_in_index_only(own, other, a, b) for own, other in texts)


def _shared(worker: Worker) -> tuple[object, ...]:
    pod, launch = worker.pod, worker.launch
    placement = (pod.owner, pod.on_scale_up, worker.is_rendezvous_host, worker.usage, worker.container.image)
    endpoint = (launch.rendezvous_host, launch.port, launch.backend)
    return (*placement, launch.launcher, launch.processes, launch.nodes, *endpoint)


def _variables(worker: Worker) -> tuple[str, ...]:
    return tuple(text for each in worker.container.env for text in (each.name, each.value))


def _differ_in_index_only(own: tuple[str, ...], other: tuple[str, ...], a: Worker, b: Worker) -> bool:
    if len(own) != len(other):
        return False
    pairs = zip(own, other, strict=True)
    return all(left == right or mask_index(left, a) == mask_index(right, b) for left, right in pairs)
