"""Workers that are alike but for their number, as one row."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.world import Worker
from trainc.record import Record

INDEX = "‹i›"


class Row(Record):
    """Workers in a row that differ in nothing but their number."""

    workers: tuple[Worker, ...]

    @property
    def first(self) -> Worker:
        """The first of them."""
        return self.workers[0]

    @property
    def last(self) -> Worker:
        """The last of them."""
        return self.workers[-1]

    @property
    def ranks(self) -> str:
        """All their ranks; empty where nobody knows before."""
        found = [one.ranks for one in self.workers if one.ranks is not None]
        if len(found) != len(self.workers):
            return ""
        return format_range(min(low for low, _ in found), max(high for _, high in found))

    @property
    def nodes(self) -> str:
        """All their node ranks."""
        found = [one.node_rank for one in self.workers if one.node_rank is not None]
        return format_range(min(found), max(found)) if len(found) == len(self.workers) else ""

    @property
    def names(self) -> list[str]:
        """Their DNS names, with the number open where they are several."""
        if len(self.workers) == 1:
            return list(self.first.names)
        return [mask_index(name, self.first) for name in self.first.names]


def format_range(low: int, high: int) -> str:
    """`3`, or `0–7`."""
    return str(low) if low == high else f"{low}–{high}"


def fold_workers(members: Sequence[Worker]) -> list[Row]:
    """All workers in as few rows as there are kinds of neighbours."""
    found: list[list[Worker]] = []
    for one in members:
        if found and _alike(found[-1][-1], one):
            found[-1].append(one)
        else:
            found.append([one])
    return [Row(workers=tuple(row)) for row in found]


def mask_index(text: str, one: Worker) -> str:
    """A text with the worker's own number left open: its hostname's, and a whole word or value that is the number, or
    its rank where that is another."""
    host, number, index = one.pod.hostname, one.pod.number, one.pod.index
    before, equals, value = text.rpartition("=")
    if value == str(number):
        return before + equals + INDEX
    if value == str(index):
        return f"{before}{equals}{INDEX[:-1]}{index - number:+d}›"
    return text.replace(host, host.removesuffix(str(number)) + INDEX)


def _alike(a: Worker, b: Worker) -> bool:
    if (
        a.pod.owner != b.pod.owner
        or a.pod.on_scale_up != b.pod.on_scale_up
        or a.is_rendezvous_host != b.is_rendezvous_host
        or a.usage != b.usage
        or len(a.names) != len(b.names)
    ):
        return False
    told = a.node_rank is not None and a.launch.backend in ("static", "") and a.launch.launcher != "none"
    if told and (b.node_rank is None or a.node_rank is None or b.node_rank != a.node_rank + 1):
        return False
    same = (
        a.launch.launcher,
        a.launch.processes,
        a.launch.nodes,
        a.launch.rendezvous_host,
        a.launch.port,
        a.launch.backend,
    )
    if same != (
        b.launch.launcher,
        b.launch.processes,
        b.launch.nodes,
        b.launch.rendezvous_host,
        b.launch.port,
        b.launch.backend,
    ):
        return False
    texts = ((a.container.argv, b.container.argv), (_values(a), _values(b)), (a.names, b.names))
    return all(_texts(mine, theirs, a, b) for mine, theirs in texts) and a.container.image == b.container.image


def _values(one: Worker) -> tuple[str, ...]:
    return tuple(text for each in one.container.env for text in (each.name, each.value))


def _texts(mine: tuple[str, ...], theirs: tuple[str, ...], a: Worker, b: Worker) -> bool:
    if len(mine) != len(theirs):
        return False
    pairs = zip(mine, theirs, strict=True)
    return all(one == other or mask_index(one, a) == mask_index(other, b) for one, other in pairs)
