"""Placement of pods one by one, as kube-scheduler does it.

The scheduler chooses among the nodes that a pod fits by scores, and on a large cluster among a part of them. Its choice
decides how many pods fit only if rules of topology or different pods compete for nodes. So several orders of choice are
tried, and the result is a range. With several spread constraints chance decides more: then further orders are
tried, and the most is what each constraint alone allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import NamedTuple

from trainc.placement.demand import Demand, Port, conflict
from trainc.placement.node import Node
from trainc.placement.topology import Rules, hard_spreads
from trainc.placement.verdicts import Verdicts

_ORDERS = tuple(product((False, True), repeat=2))
_SHUFFLES = 8  # further orders for pods with several spread constraints


class Placed(NamedTuple):
    """Pods of a demand that get a node: at least and at most."""

    least: int
    most: int


def simulate(demands: list[Demand], nodes: list[Node], candidates: list[list[int]]) -> list[Placed]:
    """Return how many pods of each demand are placed. `candidates` are the positions of the nodes that each fits."""
    several = [number for number, demand in enumerate(demands) if len(hard_spreads(demand)) > 1]
    runs = _runs(demands, nodes, candidates, shuffles=_SHUFFLES if several or len(demands) > 1 else 0)
    placed = [Placed(min(counts), max(counts)) for counts in zip(*runs, strict=True)]
    for number in several:
        alone = [_runs(each, nodes, candidates) for each in _with_one_constraint(demands, number)]
        limit = min(max(counts[number] for counts in each) for each in alone)
        placed[number] = Placed(placed[number].least, max(placed[number].most, limit))
    return placed


def _runs(demands: list[Demand], nodes: list[Node], candidates: list[list[int]], shuffles: int = 0) -> list[list[int]]:
    """Return the numbers of placed pods for each order."""
    runs = [_Run(demands, nodes, candidates, packs, is_lucky) for packs, is_lucky in _ORDERS]
    chances = map(Random, range(shuffles))  # by their seeds the same in each run
    runs += [_Run(demands, nodes, candidates, packs=False, is_lucky=True, chance=each) for each in chances]
    return [each.place() for each in runs]


def _with_one_constraint(demands: list[Demand], number: int) -> Iterator[list[Demand]]:
    """Yield the demands with a single spread constraint of those that one has."""
    demand = demands[number]
    for rule in hard_spreads(demand):
        relaxed = demand.replace(spec={**demand.spec, "topologySpreadConstraints": [rule]})
        yield [*demands[:number], relaxed, *demands[number + 1 :]]


class _Run:
    """One order of choice: nodes with least room first (`packs`), a group's largest domain first (`is_lucky`).

    With `chance`, nodes of pods that rules of topology bind are chosen at random, the same ones each time.
    """

    def __init__(
        self,
        demands: list[Demand],
        nodes: list[Node],
        candidates: list[list[int]],
        packs: bool,
        is_lucky: bool,
        chance: Random | None = None,
    ) -> None:
        self.chance = chance
        self.demands, self.nodes, self.candidates = demands, nodes, candidates
        self.packs, self.is_lucky = packs, is_lucky
        self.rules = Rules(demands, nodes)
        self.free = [{name: node.free(name) for name in node.allocatable} for node in nodes]
        self.ports: list[list[Port]] = [[] for _ in nodes]

    def place(self) -> list[int]:
        """Place all pods in order, and return how many of each demand have a node."""
        placed = []
        for position, demand in enumerate(self.demands):
            counts = self._bound(position) if self.rules.binds(position) else self._free(position)
            count = sum(counts.values())
            if count < demand.gang:
                for node, number in counts.items():
                    self._reserve(demand, node, -number)
                    self.rules.add(position, self.nodes[node], -number)
                count = 0
            placed.append(count)
        return placed

    def _slots(self, demand: Demand, node: int) -> int:
        """Return how many more pods of a demand a node has resources and ports for."""
        free = self.free[node]
        slots = free.get("pods", 0)
        for name, amount in demand.requests.items():
            slots = min(slots, free.get(name, 0) // amount)
        if slots > 0 and demand.ports:
            return 0 if conflict(demand.ports, self.ports[node]) else 1
        return max(slots, 0)

    def _reserve(self, demand: Demand, node: int, count: int) -> None:
        free = self.free[node]
        free["pods"] -= count
        for name, amount in demand.requests.items():
            free[name] -= amount * count
        if count > 0:
            self.ports[node] += demand.ports
        elif demand.ports:
            self.ports[node] = [each for each in self.ports[node] if each not in demand.ports]

    def _free(self, position: int) -> dict[int, int]:
        """Place pods that no rule of topology binds: any order of nodes takes as many of them."""
        demand, left, counts = self.demands[position], self.demands[position].count, dict[int, int]()
        slots = {node: self._slots(demand, node) for node in self.candidates[position]}
        later = {node for other in self.candidates[position + 1 :] for node in other}
        # Pods that are placed later have most room if these leave their nodes to them, and least if they take those.
        nodes = sorted(
            slots,
            key=lambda node: ((node in later) == self.is_lucky, slots[node] if self.packs else -slots[node]),
        )
        if self.chance is not None:
            self.chance.shuffle(nodes)
        for node in nodes:
            share = slots[node] if self.packs else min(slots[node], -(-left // len(nodes)))
            counts[node] = min(share, left)
            left -= counts[node]
        for node in nodes:  # what an equal share leaves
            more = min(slots[node] - counts[node], left)
            counts[node] += more
            left -= more
        for node, count in counts.items():
            self._reserve(demand, node, count)
            self.rules.add(position, self.nodes[node], count)
        return counts

    def _bound(self, position: int) -> dict[int, int]:
        """Place pods one by one, each on a node that the rules of topology allow then."""
        demand, counts = self.demands[position], dict[int, int]()
        slots = {node: self._slots(demand, node) for node in self.candidates[position]}
        verdicts = Verdicts(self.rules, position, self.nodes, slots)
        for _ in range(demand.count):
            allowed = verdicts.allowed(slots)
            if not allowed:
                break
            if self.chance is not None:
                node = self.chance.choice(allowed)
            elif self.rules.may_start(position):
                node = self._start(position, allowed, slots)
            else:
                node = (min if self.packs else max)(allowed, key=slots.__getitem__)
            self._reserve(demand, node, 1)
            self.rules.add(position, self.nodes[node])
            verdicts.placed(node)
            slots[node] = self._slots(demand, node)
            counts[node] = counts.get(node, 0) + 1
        return counts

    def _start(self, position: int, allowed: list[int], slots: dict[int, int]) -> int:
        """Return the node of the first pod of a group, in the domain with the most or the least room."""
        room = self._room(position, slots)
        sign = -1 if self.is_lucky else 1
        return min(allowed, key=lambda node: sign * room[self._domain(position, node)])

    def _room(self, position: int, slots: dict[int, int]) -> dict[tuple[str, ...], int]:
        """Return how many pods each domain has room for; with anti-affinity between them, one a node."""
        most = 1 if self.rules.repelled[position] else max(slots.values(), default=0)
        room: dict[tuple[str, ...], int] = {}
        for node, number in slots.items():
            domain = self._domain(position, node)
            room[domain] = room.get(domain, 0) + min(number, most)
        return room

    def _domain(self, position: int, node: int) -> tuple[str, ...]:
        labels = self.nodes[node].labels
        return tuple(labels.get(each.key, "") for each in self.rules.attracted[position])


def domain_rooms(demand: Demand, nodes: list[Node], candidates: list[int]) -> Iterator[tuple[str, str, int, int]]:
    """Yield for each domain in which all pods must run: label, value, its nodes that fit, and the pods they take."""
    run = _Run([demand], nodes, [candidates], packs=False, is_lucky=True)
    slots = {node: run._slots(demand, node) for node in candidates}
    rooms: dict[tuple[str, str], list[int]] = {}
    most = 1 if run.rules.repelled[0] else max(slots.values(), default=0)
    for tally in run.rules.attracted[0]:
        for node, number in slots.items():
            rooms.setdefault((tally.key, nodes[node].labels[tally.key]), []).append(min(number, most))
    for (key, value), numbers in rooms.items():
        yield key, value, len(numbers), sum(numbers)
