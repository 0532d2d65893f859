"""The worlds that have formed in a rehearsal, from what their ranks say."""

from __future__ import annotations

from collections.abc import Mapping

from trainc.record import Record
from trainc.rehearse.events import Event
from trainc.rehearse.probe_events import ProbeEvent


class World(Record):
    """Ranks that have met: rank 0 gave all of them the same token. Seconds since the start; ranks in their order."""

    token: int
    size: int
    ranks: Mapping[int, ProbeEvent]
    twice: tuple[ProbeEvent, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether each rank is there, and once."""
        return sorted(self.ranks) == list(range(self.size)) and not self.twice

    @property
    def at(self) -> float:
        """When the last of its ranks was there."""
        return max(one.at for one in self.ranks.values())

    @property
    def began(self) -> float:
        """When the first of its ranks was there."""
        return min(one.at for one in self.ranks.values())

    def pods(self) -> dict[str, list[ProbeEvent]]:
        """The ranks of each pod, in their order."""
        found: dict[str, list[ProbeEvent]] = {}
        for _, one in sorted(self.ranks.items()):
            found.setdefault(one.pod, []).append(one)
        return found


class Worlds:
    """All worlds so far, in the order in which they began."""

    def __init__(self) -> None:
        self._of: dict[int, World] = {}
        self._gone: set[int] = set()
        self._seen: set[tuple[object, ...]] = set()
        self._there: dict[tuple[str, object], ProbeEvent] = {}
        self._made_of: dict[int, set[tuple[str, object]]] = {}

    def hear(self, one: ProbeEvent) -> bool:
        """Take what a rank says; returns whether it changes the worlds."""
        if one.what in ("failed", "told", "exits", "done"):
            before = self.live
            self._gone |= {world.token for world in before if self._speaks_for(world, one)}
            return len(self.live) != len(before)
        token, rank, size = one.number("token"), one.rank, one.number("world")
        if one.what != "world" or token is None or size is None:
            return False
        rank = 0 if rank is None else rank
        # A launcher may copy a line: to a file, and to the log.
        key = (token, rank, one.pod, one.facts.get("pid"))
        if key in self._seen:
            return False
        self._seen.add(key)
        world = self._of.get(token, World(token=token, size=size, ranks={}))
        if rank in world.ranks:
            world = world.replace(twice=(*world.twice, one))
        else:
            world = world.replace(ranks={**world.ranks, rank: one})
        self._of[token] = world
        return True

    def see(self, event: Event) -> None:
        """A process of a silent program, that has begun or ended: those that were told of one world are one."""
        process = (event.pod, event.data.get("pid"))
        if event.kind == "rank-gone":
            self._there.pop(process, None)
            self._gone |= {token for token, processes in self._made_of.items() if process in processes}
            return
        facts = {**event.data, "host": event.pod}
        self._there[process] = ProbeEvent(at=event.at, pod=event.pod, what="world", rank=facts["rank"], facts=facts)
        key = [facts[name] for name in ("master", "port", "world")]
        mates = {
            id_: one for id_, one in self._there.items() if [one.facts[n] for n in ("master", "port", "world")] == key
        }
        if sorted(one.rank or 0 for one in mates.values()) == list(range(facts["world"])):
            token = len(self._made_of) + 1
            self._made_of[token] = set(mates)
            self._of[token] = World(
                token=token, size=facts["world"], ranks={one.rank or 0: one for one in mates.values()}
            )

    def lost(self, pod: str) -> None:
        """A container of the pod has ended, and with it the worlds that it was part of."""
        self._gone |= {world.token for world in self._of.values() if any(r.pod == pod for r in world.ranks.values())}

    @property
    def every(self) -> list[World]:
        """All of them."""
        return list(self._of.values())

    @property
    def live(self) -> list[World]:
        """Those that have lost nobody yet, as far as anybody has said."""
        return [world for world in self._of.values() if world.token not in self._gone]

    def since(self, at: float) -> list[World]:
        """Those that began after a moment, in seconds since the start."""
        return [world for world in self._of.values() if world.began > at]

    @staticmethod
    def _speaks_for(world: World, one: ProbeEvent) -> bool:
        return any(
            mine.pod == one.pod and mine.facts.get("pid") == one.facts.get("pid") for mine in world.ranks.values()
        )
