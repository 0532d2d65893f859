"""Which nodes may take the next pod, judged once for all nodes in the same domains instead of once for each node."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.placement.node import Node
from trainc.placement.topology import Rules

Domains = tuple[str | None, ...]  # values of a node's labels, None for a label that it lacks


class Verdicts:
    """Results of `Rules.allows` for a demand. They hold until `placed`, for domains that the new pod doesn't change."""

    def __init__(self, rules: Rules, demand: int, nodes: list[Node], candidates: Iterable[int]) -> None:
        self._rules, self._demand, self._nodes = rules, demand, nodes
        self._keys = rules.keys(demand)
        self._domains: dict[int, Domains] = {each: self._domains_of(nodes[each]) for each in candidates}
        self._sharing: dict[tuple[int, str | None], set[Domains]] = {}
        for domains in set(self._domains.values()):
            for place in enumerate(domains):
                self._sharing.setdefault(place, set()).add(domains)
        self._known: dict[Domains, bool] = {}
        self._state = rules.state(demand)

    def _domains_of(self, node: Node) -> Domains:
        return tuple(node.labels.get(key) for key in self._keys)

    def allowed(self, slots: dict[int, int]) -> list[int]:
        """Return the nodes with room that the rules allow, in order."""
        known, domains = self._known, self._domains
        for node in slots:
            if domains[node] not in known:
                known[domains[node]] = self._rules.allows(self._demand, self._nodes[node])
        return [node for node, room in slots.items() if room and known[domains[node]]]

    def placed(self, node: int) -> None:
        """Forget what a pod on a node changes."""
        state = self._rules.state(self._demand)
        if state != self._state:
            self._state = state
            self._known.clear()
            return
        for place in enumerate(self._domains[node]):
            for domains in self._sharing[place]:
                self._known.pop(domains, None)
