"""Fold workers that differ only in their index into rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from trainc.plan.quantity import format_range
from trainc.plan.world import Worker, count_pods
from trainc.record import Record

INDEX = "‹i›"


class Row(Record):
    """Consecutive workers that differ only in their index; `count` is the number of pods.

    `ranks` and `nodes` are ranges, empty if unknown before the pods run. `names` are DNS names, with a placeholder for
    the index if there are several workers.
    """

    workers: tuple[Worker, ...]
    first: Worker
    last: Worker
    count: int
    ranks: str
    nodes: str
    names: list[str]


def fold_workers(workers: Sequence[Worker], marks: Mapping[int, object] = MappingProxyType({})) -> list[Row]:
    """Return all workers in as few rows as possible, in their order. Those of a row have the same mark, by position."""
    rows: list[list[Worker]] = []
    for worker in workers:
        last = rows[-1][-1] if rows else worker
        is_like_last = marks.get(last.position) == marks.get(worker.position) and _differ_in_index_only(last, worker)
        if rows and is_like_last:
            rows[-1].append(worker)
        else:
            rows.append([worker])
    return list(map(_row, rows))


def _row(workers: list[Worker]) -> Row:
    first, count = workers[0], count_pods(workers)
    ranks = [worker.ranks for worker in workers if worker.ranks is not None]
    nodes = [worker.node_rank for worker in workers if worker.node_rank is not None]
    return Row(
        workers=tuple(workers),
        first=first,
        last=workers[-1],
        count=count,
        ranks=format_range(min(ranks)[0], max(ranks)[1]) if len(ranks) == len(workers) else "",
        nodes=format_range(min(nodes), max(nodes)) if len(nodes) == len(workers) else "",
        names=[name if count == 1 else mask_index(name, first) for name in first.names],
    )


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
