"""Topology rules of pods: spread constraints, required affinity and anti-affinity between the pods of a job.

Pods that run already don't count: a cluster's entry doesn't have their labels.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from trainc.placement.demand import Demand
from trainc.placement.node import Node
from trainc.placement.obstacles import is_hard, untolerated
from trainc.placement.selectors import REQUIRED, selects_node
from trainc.placement.shared_domains import EARLY, SharedDomain, shared_domains
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.systems.shared.validation.selectors import matches


class Tally:
    """Number of placed pods in each domain, for the pods that a rule selects."""

    def __init__(self, key: str, selected: set[int]) -> None:
        self.key = key
        self.members = selected  # positions of demands
        self.counts: Counter[str] = Counter()

    def add(self, demand: int, node: Node, count: int) -> None:
        """Count pods of a demand on a node."""
        if demand in self.members and self.key in node.labels:
            self.counts[node.labels[self.key]] += count

    def on(self, node: Node) -> int:
        """Return the number of pods in the domain of a node; 0 for a node without the label."""
        return self.counts[node.labels[self.key]] if self.key in node.labels else 0


class Spread(Tally):
    """Spread constraint of a demand. Pods and domains of nodes that it doesn't include don't count.

    https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
    """

    def __init__(self, rule: Object, selected: set[int], owner: int, included: list[Node]) -> None:
        super().__init__(text(rule, "topologyKey"), selected)
        self.names = {node.name for node in included}
        self.domains = {node.labels[self.key] for node in included}
        self.limit = number(rule, "maxSkew") or 1
        self.has_domains = len(self.domains) >= (number(rule, "minDomains") or 1)
        self.own = int(owner in selected)
        self.least = 0  # pods in the domain that has fewest; 0 with too few domains
        self._levels = Counter({0: len(self.domains)})  # numbers of domains by their pods

    def add(self, demand: int, node: Node, count: int) -> None:
        """Count pods on a node that the constraint includes."""
        if node.name not in self.names or demand not in self.members:
            return
        before = self.on(node)
        super().add(demand, node, count)
        self._levels[before] -= 1
        self._levels[before + count] += 1
        if self.has_domains:
            self.least = min(self.least, before + count)
            while not self._levels[self.least]:
                self.least += 1

    def allows(self, node: Node) -> bool:
        """Return whether one more pod in the domain of a node keeps the skew."""
        return self.on(node) + self.own - self.least <= self.limit


class Barrier(NamedTuple):
    """Domains that a rule closes for the next pod: those with the values of a label, or with `is_around` all others.

    With `spread` they are closed until the constraint's `least` grows, otherwise for all further pods of the demand.
    """

    key: str
    values: set[str]
    is_around: bool = False
    spread: Spread | None = None


class Rules:
    """Topology rules of all demands, with the pods that are placed so far."""

    def __init__(self, demands: list[Demand], nodes: list[Node]) -> None:
        self.spreads = [_spreads(number, demands, nodes) for number in range(len(demands))]
        self.repelled: list[list[Tally]] = [[] for _ in demands]
        self.attracted: list[list[Tally]] = []
        self.starts: list[bool] = []  # whether a first pod may start a group by itself
        for position, demand in enumerate(demands):
            for term in _terms(demand, "podAntiAffinity"):
                self.repelled[position].append(Tally(text(term, "topologyKey"), _selected(term, demand, demands)))
            terms = _terms(demand, "podAffinity")
            selections = [_selected(term, demand, demands) for term in terms]
            matching = set.intersection(*selections) if selections else set()
            self.attracted.append([Tally(text(term, "topologyKey"), matching) for term in terms])
            self.starts.append(position in matching)
        self._add_repelled_by_others()
        self.shared: list[list[SharedDomain]] = shared_domains(demands, nodes)
        self._counting: list[list[Tally | SharedDomain]] = [[] for _ in demands]  # those that count a demand's pods
        groups = (self.spreads, self.repelled, self.attracted, self.shared)
        for each in dict.fromkeys(each for group in groups for own in group for each in own):
            for position in each.members:
                self._counting[position].append(each)

    def _add_repelled_by_others(self) -> None:
        """Let running pods keep away those that they don't tolerate, unless these keep away themselves."""
        own = [{(each.key, member) for each in tallies for member in each.members} for tallies in self.repelled]
        for position, tallies in enumerate([*each] for each in self.repelled):
            for each in tallies:
                others = Tally(each.key, {position})
                for target in each.members:
                    if (each.key, position) not in own[target]:
                        self.repelled[target].append(others)

    def binds(self, demand: int) -> bool:
        """Return whether where a pod of a demand can run depends on other pods of the job."""
        return bool(self.spreads[demand] or self.repelled[demand] or self.attracted[demand] or self.shared[demand])

    def keys(self, demand: int) -> list[str]:
        """Return the labels of nodes on whose values `barrier` depends."""
        tallies = (*self.spreads[demand], *self.repelled[demand], *self.attracted[demand])
        return list(dict.fromkeys([*(each.key for each in tallies), *(each.key for each in self.shared[demand])]))

    def repels_itself(self, demand: int) -> bool:
        """Return whether two pods of a demand can't be in one domain of an anti-affinity."""
        return any(demand in each.members for each in self.repelled[demand])

    def open_keys(self, demand: int) -> list[str]:
        """Return the labels whose values the node of the next pod chooses for all others."""
        own = [each.key for each in self.attracted[demand]] if self.may_start(demand) else []
        return [*own, *(each.key for each in self.shared[demand] if each.value is None and each.choice != EARLY)]

    def may_start(self, demand: int) -> bool:
        """Return whether the next pod is the first of its group, and chooses the domain of all others."""
        own = self.attracted[demand]
        return bool(own) and self.starts[demand] and not any(any(each.counts.values()) for each in own)

    def barrier(self, demand: int, node: Node) -> Barrier | None:
        """Return the first rule that keeps the next pod of a demand from a node that has all topology labels."""
        for each in self.repelled[demand]:
            if each.on(node):
                return Barrier(each.key, {node.labels[each.key]})
        for spread in self.spreads[demand]:
            if not spread.allows(node):
                return Barrier(spread.key, {node.labels[spread.key]}, spread=spread)
        for shared in self.shared[demand]:
            if shared.value is not None and not shared.allows(node):
                return Barrier(shared.key, {shared.value}, is_around=True)
        if not self.may_start(demand):
            for each in self.attracted[demand]:
                if not each.on(node):
                    return Barrier(each.key, {value for value, count in each.counts.items() if count}, is_around=True)
        return None

    def add(self, demand: int, node: Node, count: int = 1) -> None:
        """Count placed pods; a negative number takes them away again."""
        for each in self._counting[demand]:
            each.add(demand, node, count)


def hard_spreads(demand: Demand) -> list[Object]:
    """Return the spread constraints that a pod must meet."""
    return [each for each in items(demand.spec, "topologySpreadConstraints") if is_hard(each)]


def depends_on_others(demand: Demand) -> bool:
    """Return whether pods of a demand must, or must not, be where other pods are."""
    terms = [*_terms(demand, "podAffinity"), *_terms(demand, "podAntiAffinity")]
    is_shared = any(each.key and each.is_shared for each in demand.volumes)
    return bool(hard_spreads(demand) or terms or demand.group_topology or is_shared)


def _terms(demand: Demand, kind: str) -> list[Object]:
    return items(mapping(demand.spec, "affinity", kind), REQUIRED)


def _selected(term: Object, owner: Demand, demands: list[Demand]) -> set[int]:
    """Return the demands whose pods a term of an affinity selects. Namespaces that a selector names are not known."""
    namespaces = {str(each) for each in listed(term, "namespaces")} or {owner.namespace}
    extra = [
        {"key": key, "operator": "In", "values": [owner.labels[key]]} for key in _keys(term, owner, "matchLabelKeys")
    ]
    extra += [
        {"key": key, "operator": "NotIn", "values": [owner.labels[key]]}
        for key in _keys(term, owner, "mismatchLabelKeys")
    ]
    selector = _with(at(term, "labelSelector"), extra)
    return {
        position
        for position, each in enumerate(demands)
        if each.namespace in namespaces and matches(selector, each.labels)
    }


def _spreads(position: int, demands: list[Demand], nodes: list[Node]) -> list[Spread]:
    """Return the hard constraints of a demand; nodes without a label of one of them don't count for any."""
    owner = demands[position]
    rules = hard_spreads(owner)
    keys = [text(each, "topologyKey") for each in rules]
    labeled = [node for node in nodes if all(key in node.labels for key in keys)] if rules else []
    spreads = []
    for rule in rules:
        included = labeled
        if text(rule, "nodeAffinityPolicy") != "Ignore":
            included = [node for node in included if selects_node(owner.spec, node)]
        if text(rule, "nodeTaintsPolicy") == "Honor":
            included = [node for node in included if untolerated(owner.tolerations, node) is None]
        extra = [
            {"key": key, "operator": "In", "values": [owner.labels[key]]}
            for key in _keys(rule, owner, "matchLabelKeys")
        ]
        selector = _with(at(rule, "labelSelector"), extra)
        selected = {
            number
            for number, each in enumerate(demands)
            if each.namespace == owner.namespace and matches(selector, each.labels)
        }
        spreads.append(Spread(rule, selected, position, included))
    return spreads


def _keys(rule: Object, owner: Demand, field: str) -> list[str]:
    return [str(key) for key in listed(rule, field) if str(key) in owner.labels]


def _with(selector: Object | None, expressions: list[Object]) -> Object | None:
    if selector is None or not expressions:
        return selector
    return {**selector, "matchExpressions": [*items(selector, "matchExpressions"), *expressions]}
