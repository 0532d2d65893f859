"""Whether the pods of a job fit the nodes of a cluster, and which requirement removes which nodes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from trainc.placement.demand import Demand
from trainc.placement.node import Node
from trainc.placement.obstacles import Obstacle, obstacles, required_keys
from trainc.placement.run import Run
from trainc.placement.selectors import node_terms
from trainc.placement.shared_domains import EARLY, SharedDomain
from trainc.placement.simulation import simulate
from trainc.record import Record


class Domain(Record):
    """Nodes with one value of a label, in which all pods must run, and the number of pods that they have room for.

    `reason` is the beginning of a sentence about what is in the domain, and `is_of_volume` says that it is a volume.
    With `is_early` the domain is chosen before the pods have nodes.
    """

    key: str
    reason: str
    value: str = ""
    room: int = 0
    is_of_volume: bool = False
    is_early: bool = False


def domains(demand: Demand, nodes: list[Node], candidates: list[int]) -> Iterator[Domain]:
    """Yield the domains of each rule; a demand without such a rule has none."""
    run = Run([demand], nodes, [candidates], packs=False, is_lucky=True)
    reason = f"all {demand.count} pods must run"
    rules = [(Domain(key=each.key, reason=reason), list[str]()) for each in run.rules.attracted[0]]
    rules += [
        (_of_shared(each), each.domains if each.choice == EARLY else [])
        for each in run.rules.shared[0]
        if each.is_shared
    ]
    slots = {node: run.slots(demand, node) for node in candidates} if rules else {}
    for domain, values in rules:
        rooms = dict.fromkeys(values, 0)
        rooms |= {value: room for (value,), room in run.room(0, [domain.key], slots).items()}
        yield from (domain.replace(value=value, room=room) for value, room in rooms.items())


def _of_shared(each: SharedDomain) -> Domain:
    return Domain(key=each.key, reason=each.reason, is_of_volume=each.is_of_volume, is_early=each.choice == EARLY)


class Fit(Record):
    """Result for the pods of a demand.

    `first` counts each node at the requirement that removes it first, `alone` at the only one that removes it; `all`
    counts it at every requirement that it doesn't meet. `fitting` nodes meet all; they have room for `room` pods if
    these are alone, ignoring topology. `least` to `most` pods are placed, depending on the scheduler's choices.
    """

    demand: Demand
    nodes: int
    first: dict[Obstacle, int]
    alone: dict[Obstacle, int]
    all: dict[Obstacle, int]
    fitting: int
    room: int
    least: int
    most: int
    domains: tuple[Domain, ...] = ()

    @property
    def verdict(self) -> str:
        """Return `fits`, `depends` (on the node of the first pods), or `lacks nodes`."""
        if self.least >= self.demand.count:
            return "fits"
        return "depends" if self.most >= self.demand.count else "lacks nodes"


def fits(demands: list[Demand], nodes: list[Node]) -> list[Fit]:
    """Return the result for each demand, in the order in which the pods are created."""
    removed = _removed(demands, nodes)
    candidates = [[number for number, reasons in enumerate(each) if not reasons] for each in removed]
    placed = simulate(demands, nodes, candidates)
    return [
        Fit(
            demand=demand,
            nodes=len(nodes),
            first=_count(reasons[:1] for reasons in removed[number]),
            alone=_count(reasons for reasons in removed[number] if len(reasons) == 1),
            all=_count(removed[number]),
            fitting=len(candidates[number]),
            room=sum(_slots(demand, nodes[each]) for each in candidates[number]),
            least=placed[number].least,
            most=placed[number].most,
            domains=tuple(domains(demand, nodes, candidates[number])),
        )
        for number, demand in enumerate(demands)
    ]


def _removed(demands: list[Demand], nodes: list[Node]) -> list[list[list[Obstacle]]]:
    """Return the obstacles of each node for each demand, once for those with equal requirements, as exclusive Jobs."""
    known: dict[str, list[list[Obstacle]]] = {}
    removed = []
    for each in demands:
        fields = {name: each.spec.get(name) for name in ("nodeName", "nodeSelector", "tolerations")}
        requirements = [fields, node_terms(each.spec), required_keys(each), each.requests, each.volumes]
        key = json.dumps(requirements, sort_keys=True, default=repr)
        if key not in known:
            known[key] = [list(obstacles(each, node)) for node in nodes]
        removed.append(known[key])
    return removed


def _count(nodes: Iterable[list[Obstacle]]) -> dict[Obstacle, int]:
    """Return the number of nodes by obstacle, the most frequent first."""
    return dict(Counter(each for reasons in nodes for each in reasons).most_common())


def _slots(demand: Demand, node: Node) -> int:
    """Return how many pods of a demand a node without other pods of the job takes."""
    wanted = {"pods": 1, **demand.requests}
    slots = min(node.free(name) // amount for name, amount in wanted.items())
    return min(slots, 1) if demand.ports else slots
