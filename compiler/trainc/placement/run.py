"""One order in which kube-scheduler may choose nodes for pods, one by one."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from trainc.placement.demand import Demand, Port, conflict
from trainc.placement.node import Node
from trainc.placement.open_nodes import OpenNodes
from trainc.placement.shared_domains import BEST, EARLY, SharedDomain
from trainc.placement.topology import Rules

_DOMAINS = 50  # that are tried for a group with a topology, those with most room


class Run:
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
        placed: list[dict[int, int]] = []
        for position, demand in enumerate(self.demands):
            placed.append(self._bound(position) if self.rules.binds(position) else self._free(position))
            if demand.gang and not any(self._is_same_gang(demand, each) for each in self.demands[position + 1 :]):
                self._remove_incomplete_gang(demand, placed)
        return [sum(counts.values()) for counts in placed]

    def _is_same_gang(self, demand: Demand, other: Demand) -> bool:
        return (demand.namespace, demand.group) == (other.namespace, other.group) and other.gang > 0

    def _remove_incomplete_gang(self, demand: Demand, placed: list[dict[int, int]]) -> None:
        """Remove all pods of a gang from their nodes if too few have one."""
        members = [each for each in range(len(placed)) if self._is_same_gang(demand, self.demands[each])]
        if sum(sum(placed[each].values()) for each in members) >= demand.gang:
            return
        for each in members:
            self._remove(each, placed[each])
            placed[each] = {}

    def _remove(self, position: int, counts: dict[int, int]) -> None:
        """Remove placed pods from their nodes."""
        for node, count in counts.items():
            self._reserve(self.demands[position], node, -count)
            self.rules.add(position, self.nodes[node], -count)

    def slots(self, demand: Demand, node: int) -> int:
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
        slots = {node: self.slots(demand, node) for node in self.candidates[position]}
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
        """Place pods that rules of topology bind; those of a group with a topology in the domain that takes most."""
        group = next((each for each in self.rules.shared[position] if each.choice == BEST), None)
        if group is None or group.value is not None:
            return self._one_by_one(position, self.candidates[position])
        slots = {node: self.slots(self.demands[position], node) for node in self.candidates[position]}
        room = self.room(position, [group.key], slots)
        best: tuple[int, str] = (0, "")
        for (value,) in sorted(room, key=lambda domain: -room[domain])[:_DOMAINS]:
            if min(room[value,], self.demands[position].count) <= best[0]:
                break
            counts = self._in_domain(position, group, value)
            best = max(best, (sum(counts.values()), value), key=lambda each: each[0])
            self._remove(position, counts)
        return self._in_domain(position, group, best[1]) if best[0] else {}

    def _in_domain(self, position: int, group: SharedDomain, value: str) -> dict[int, int]:
        """Place pods in one domain. Spread constraints also count the other domains, which have no pod."""
        group.value = value
        within = [node for node in self.candidates[position] if self.nodes[node].labels[group.key] == value]
        return self._one_by_one(position, within)

    def _one_by_one(self, position: int, candidates: Iterable[int]) -> dict[int, int]:
        """Place pods one by one, each on a node that the rules of topology allow then."""
        demand, counts = self.demands[position], dict[int, int]()
        slots = {node: self.slots(demand, node) for node in candidates}
        self._choose_early(position, slots)
        open_nodes = OpenNodes(self.rules, position, self.nodes, slots, self.packs, self.chance)
        for _ in range(demand.count):
            keys = self.rules.open_keys(position) if self.chance is None else []
            node = self._start(position, keys, open_nodes.all(), slots) if keys else open_nodes.first()
            if node is None:
                break
            self._reserve(demand, node, 1)
            self.rules.add(position, self.nodes[node])
            open_nodes.set_room(node, self.slots(demand, node))
            counts[node] = counts.get(node, 0) + 1
        return counts

    def _choose_early(self, position: int, slots: dict[int, int]) -> None:
        """Choose the domains of volumes that are created before the pods: those with the most or the least room."""
        for shared in self.rules.shared[position]:
            if shared.choice != EARLY or shared.value is not None or (self.is_lucky and not shared.is_shared):
                continue
            usable = {node: room for node, room in slots.items() if self._is_in_shared(position, node)}
            room = self.room(position, [shared.key], usable)
            by_room = sorted(shared.domains, key=lambda value: room.get((value,), 0))
            if by_room:
                shared.value = by_room[-1 if self.is_lucky else 0]

    def _is_in_shared(self, position: int, node: int) -> bool:
        return all(each.allows(self.nodes[node]) for each in self.rules.shared[position])

    def _start(self, position: int, keys: list[str], allowed: list[int], slots: dict[int, int]) -> int | None:
        """Return the node of the first pod of a group, in the domain with the most or the least room."""
        room = self.room(position, keys, {node: slots[node] for node in allowed})
        sign = -1 if self.is_lucky else 1
        return min(allowed, key=lambda node: sign * room[self._domain(keys, node)], default=None)

    def room(self, position: int, keys: list[str], slots: dict[int, int]) -> dict[tuple[str, ...], int]:
        """Return how many pods each domain has room for; with anti-affinity between them, one a node."""
        most = 1 if self.rules.repels_itself(position) else max(slots.values(), default=0)
        room: dict[tuple[str, ...], int] = {}
        for node, number in slots.items():
            domain = self._domain(keys, node)
            room[domain] = room.get(domain, 0) + min(number, most)
        return room

    def _domain(self, keys: list[str], node: int) -> tuple[str, ...]:
        labels = self.nodes[node].labels
        return tuple(labels.get(key, "") for key in keys)
