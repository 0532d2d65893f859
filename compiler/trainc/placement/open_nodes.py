"""Nodes that may take the next pod of a demand."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from random import Random

from trainc.placement.node import Node
from trainc.placement.node_tree import LeastTree, RandomTree, Range
from trainc.placement.topology import Barrier, Rules, Spread

Domains = tuple[str | None, ...]  # values of a node's labels, None for a label that it lacks


class OpenNodes:
    """Nodes with room that the rules of topology allow.

    They are sorted by their domains, so that a domain is a range, or a few. A domain is closed when a node in it is
    tried and a rule doesn't allow it, so that the cost of a pod grows with the logarithm of the number of nodes.
    """

    def __init__(
        self, rules: Rules, demand: int, nodes: list[Node], slots: dict[int, int], packs: bool, chance: Random | None
    ) -> None:
        self._rules, self._demand, self._nodes, self.slots, self._packs = rules, demand, nodes, slots, packs
        keys = rules.keys(demand)
        labels = [nodes[node].labels for node in slots]
        keys = sorted(keys, key=lambda key: len({each.get(key) for each in labels}))
        self._domains: dict[int, Domains] = {
            node: tuple(own.get(key) for key in keys) for node, own in zip(slots, labels, strict=True)
        }
        self._sorted = sorted(slots, key=lambda node: [each or "" for each in self._domains[node]])
        self._leaf = {node: leaf for leaf, node in enumerate(self._sorted)}
        self._ranges = {key: self._ranges_of(position) for position, key in enumerate(keys)}
        self._chance = chance
        leaves = [self._value(node) for node in self._sorted]
        self._tree = LeastTree(leaves) if chance is None else RandomTree(leaves, chance)
        self._closed: dict[Spread, list[Range]] = {each: [] for each in rules.spreads[demand]}
        self._least = {each: each.least for each in self._closed}

    def _ranges_of(self, position: int) -> dict[str | None, list[Range]]:
        """Return the ranges of each value of a label."""
        ranges: dict[str | None, list[Range]] = {}
        values = [self._domains[node][position] for node in self._sorted]
        starts = [0, *(i for i in range(1, len(values)) if values[i] != values[i - 1]), len(values)]
        for start, end in pairwise(starts):
            if start < end:
                ranges.setdefault(values[start], []).append((start, end))
        return ranges

    def _value(self, node: int) -> float:
        """Return the value of a leaf: the node with the least is taken first."""
        room = self.slots[node]
        if self._chance is not None:
            return 1.0 if room else 0.0
        if not room:
            return inf
        return (room if self._packs else -room) * len(self._nodes) + node

    def first(self) -> int | None:
        """Return the node for the next pod: by room, or a random one. None if there is none."""
        self._open_spreads()
        while (leaf := self._tree.find()) is not None:
            node = self._sorted[leaf]
            barrier = self._rules.barrier(self._demand, self._nodes[node])
            if barrier is None:
                return node
            closed = self._ranges_in(barrier)
            if barrier.spread is not None:
                self._closed[barrier.spread] += closed
            self._tree.close(closed)
        return None

    def all(self) -> list[int]:
        """Return the nodes in their order."""
        known: dict[Domains, bool] = {}
        for node, room in self.slots.items():
            if room and self._domains[node] not in known:
                known[self._domains[node]] = self._rules.barrier(self._demand, self._nodes[node]) is None
        return [node for node, room in self.slots.items() if room and known[self._domains[node]]]

    def set_room(self, node: int, room: int) -> None:
        """Set how many more pods a node has room for."""
        self.slots[node] = room
        self._tree.set(self._leaf[node], self._value(node))

    def _open_spreads(self) -> None:
        """Open the domains of spread constraints again that have gained a pod in the domain with the fewest."""
        for spread, closed in self._closed.items():
            if spread.least != self._least[spread]:
                self._least[spread] = spread.least
                self._tree.close(closed, -1)
                closed.clear()

    def _ranges_in(self, barrier: Barrier) -> list[Range]:
        """Return the ranges of the nodes that a barrier closes."""
        ranges = sorted(each for value in barrier.values for each in self._ranges[barrier.key].get(value, ()))
        if not barrier.is_around:
            return ranges
        edges = [0, *(edge for each in ranges for edge in each), len(self._sorted)]
        return list(zip(edges[::2], edges[1::2], strict=True))
