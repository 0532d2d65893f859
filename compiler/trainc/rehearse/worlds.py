"""Worlds that form during a rehearsal, from the events of their ranks."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter

from trainc.record import Record
from trainc.rehearse.events import Event
from trainc.rehearse.probe_client import ProbeEvent

_WORLD_KEY = itemgetter("master", "port", "world")


class World(Record):
    """Ranks of one process group: rank 0 broadcasts `token` to all of them. `duplicates` are ranks that exist twice."""

    token: int
    size: int
    ranks: Mapping[int, ProbeEvent]
    duplicates: tuple[ProbeEvent, ...] = ()

    @property
    def complete(self) -> bool:
        """Return whether each rank exists exactly once."""
        return sorted(self.ranks) == list(range(self.size)) and not self.duplicates

    @property
    def completed_at(self) -> float:
        """When the last rank joined, in seconds since the start."""
        return max(event.at for event in self.ranks.values())

    @property
    def started_at(self) -> float:
        """When the first rank joined, in seconds since the start."""
        return min(event.at for event in self.ranks.values())

    def ranks_by_pod(self) -> dict[str, list[ProbeEvent]]:
        """Return each pod's ranks in ascending order."""
        pods: dict[str, list[ProbeEvent]] = {}
        for _, event in sorted(self.ranks.items()):
            pods.setdefault(event.pod, []).append(event)
        return pods


class Worlds:
    """All worlds so far, in the order in which they started."""

    def __init__(self) -> None:
        self._worlds: dict[int, World] = {}
        self._ended: set[int] = set()
        self._seen: set[tuple[object, ...]] = set()
        self._processes: dict[tuple[str, object], ProbeEvent] = {}
        self._processes_of: dict[int, set[tuple[str, object]]] = {}

    def add_probe_event(self, event: ProbeEvent) -> None:
        """Apply an event of a rank that runs the probe."""
        if event.kind in ("failed", "sigterm", "exiting", "done"):
            process = _process(event)
            self._ended |= {world.token for world in self.live if process in map(_process, world.ranks.values())}
            return
        token, rank, size = event.number("token"), event.rank or 0, event.number("world")
        if event.kind != "world" or token is None or size is None:
            return
        # A launcher may copy a line: to a file, and to the log.
        key = (token, rank, *_process(event))
        if key in self._seen:
            return
        self._seen.add(key)
        world = self._worlds.get(token, World(token=token, size=size, ranks={}))
        if rank in world.ranks:
            world = world.replace(duplicates=(*world.duplicates, event))
        else:
            world = world.replace(ranks={**world.ranks, rank: event})
        self._worlds[token] = world

    def add_process_event(self, event: Event) -> None:
        """Apply the start or exit of a process without the probe: a world is a full set of ranks of one master."""
        process = (event.pod, event.data.get("pid"))
        if event.kind == "rank-exited":
            self._processes.pop(process, None)
            self._ended |= {token for token, workers in self._processes_of.items() if process in workers}
            return
        fields = {**event.data, "host": event.pod}
        self._processes[process] = ProbeEvent(
            at=event.at, pod=event.pod, kind="world", rank=fields["rank"], fields=fields
        )
        key = _WORLD_KEY(fields)
        workers = {process: rank for process, rank in self._processes.items() if _WORLD_KEY(rank.fields) == key}
        if sorted(rank.rank or 0 for rank in workers.values()) == list(range(fields["world"])):
            token = len(self._processes_of) + 1
            self._processes_of[token] = set(workers)
            ranks = {rank.rank or 0: rank for rank in workers.values()}
            self._worlds[token] = World(token=token, size=fields["world"], ranks=ranks)

    def end_pod(self, pod: str) -> None:
        """Mark the worlds with a rank on this pod as ended: one of its containers has exited."""
        self._ended |= {world.token for world in self.all if pod in world.ranks_by_pod()}

    @property
    def all(self) -> list[World]:
        """All worlds, ended ones included."""
        return list(self._worlds.values())

    @property
    def live(self) -> list[World]:
        """Worlds that haven't lost a rank yet."""
        return [world for world in self.all if world.token not in self._ended]

    def since(self, at: float) -> list[World]:
        """Worlds that started after `at`, in seconds since the start."""
        return [world for world in self.all if world.started_at > at]


def _process(event: ProbeEvent) -> tuple[str, object]:
    return event.pod, event.fields.get("pid")
