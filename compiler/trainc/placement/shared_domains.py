"""Domains that pods share because of a volume or a group with a topology, not because of their affinity."""

from __future__ import annotations

from trainc.placement.demand import Demand
from trainc.placement.node import Node
from trainc.well_known import HOSTNAME_LABEL

# How the value of the label is chosen: by the node of the first pod, as the one with most room, or before all pods.
FIRST, BEST, EARLY = "first", "best", "early"


class SharedDomain:
    """Nodes with one value of a label, for all pods of some demands; `value` is None before it is chosen.

    `reason` says in a message what the pods share. `domains` are the values that `EARLY` may choose. Without
    `is_shared` each pod has a value of its own, and all of these may be equal.
    """

    def __init__(self, key: str, reason: str, choice: str, domains: list[str], is_shared: bool = True) -> None:
        self.key, self.reason, self.choice, self.domains, self.is_shared = key, reason, choice, domains, is_shared
        self.members: set[int] = set()
        self.value: str | None = None
        self._pods = 0

    @property
    def is_of_volume(self) -> bool:
        """Return whether the domain is that of a volume, not of a group."""
        return self.choice != BEST

    def allows(self, node: Node) -> bool:
        """Return whether a node is in the domain, or no domain is chosen."""
        return self.value is None or node.labels.get(self.key) == self.value

    def add(self, demand: int, node: Node, count: int) -> None:
        """Count placed pods: the first one chooses the domain."""
        if demand not in self.members or not count or self.choice != FIRST:
            return
        self._pods += count
        self.value = node.labels.get(self.key) if self._pods else None


def shared_domains(demands: list[Demand], nodes: list[Node]) -> list[list[SharedDomain]]:
    """Return the domains of each demand, the same objects for demands that share them."""
    known: dict[tuple[str, str, str], SharedDomain] = {}
    of_demands = []
    for position, demand in enumerate(demands):
        own = _domains_of(demand, nodes)
        joined = [known.setdefault((demand.namespace, each.key, each.reason), each) for each in own]
        for each in joined:
            each.members.add(position)
        of_demands.append(joined)
    return of_demands


def _domains_of(demand: Demand, nodes: list[Node]) -> list[SharedDomain]:
    shared = []
    if demand.group_topology:
        shared.append(SharedDomain(demand.group_topology, f"all pods of group `{demand.group}` must run", BEST, []))
    for volume in demand.volumes:
        if volume.is_new and demand.is_in_one_cycle and volume.is_shared and not volume.is_early:
            # The scheduler reserves the volume for the first pod's node, before it exists.
            reason = f"{volume.name} is created for the first pod of the gang, and all its pods must run"
            shared.append(SharedDomain(HOSTNAME_LABEL, reason, FIRST, []))
        elif volume.key and (volume.is_shared or volume.is_early):
            values = {node.labels[volume.key]: None for node in nodes if volume.is_usable(node)}
            choice = EARLY if volume.is_early else FIRST
            shared.append(SharedDomain(volume.key, f"{volume.name} is", choice, list(values), volume.is_shared))
    return shared
