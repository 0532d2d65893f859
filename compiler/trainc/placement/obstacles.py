"""Requirements of a pod that a node doesn't meet, before any pod of the job runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainc.placement.demand import Demand
from trainc.placement.node import Node, Taint
from trainc.placement.selectors import REQUIRED, describe_terms, matches_term, node_terms, unmatched_selector
from trainc.plan.fields import Object, items, mapping, text

UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
_REPELLENT = ("NoSchedule", "NoExecute")


class Obstacle(NamedTuple):
    """Requirement that a node doesn't meet.

    `kind` is `size` (the node is too small), `label` (node selector), `affinity`, `name`, `volume`, `taint`, `cordon`,
    `topology` (no label of this key), or `use` (running pods take too much). `detail` is a resource, label, volume or
    taint; `amount` is the request in the scheduler's units.
    """

    kind: str
    detail: str
    amount: int = 0


def obstacles(demand: Demand, node: Node) -> Iterator[Obstacle]:
    """Yield all requirements that a node doesn't meet, the most lasting first."""
    wanted = {"pods": 1, **demand.requests}
    for name, amount in sorted(wanted.items(), key=_rank):
        if amount > node.allocatable.get(name, 0):
            yield Obstacle("size", name, amount)
    if name := text(demand.spec, "nodeName"):
        if name != node.name:
            yield Obstacle("name", name)
        return  # the scheduler is not asked
    if label := unmatched_selector(demand.spec, node):
        yield Obstacle("label", label)
    terms = node_terms(demand.spec)
    if terms is not None and not any(matches_term(each, node) for each in terms):
        yield Obstacle("affinity", describe_terms(terms))
    if (volume := next((each for each in demand.volumes if not each.is_usable(node)), None)) is not None:
        yield Obstacle("volume", str(volume))
    yield from (Obstacle("topology", key) for key in required_keys(demand) if key not in node.labels)
    if node.unschedulable and not tolerates(demand.tolerations, UNSCHEDULABLE):
        yield Obstacle("cordon", "")
    if (taint := untolerated(demand.tolerations, node)) is not None:
        yield Obstacle("taint", str(taint))
    for name, amount in sorted(wanted.items(), key=_rank):
        if node.free(name) < amount <= node.allocatable.get(name, 0):
            yield Obstacle("use", name, amount)


def _rank(item: tuple[str, int]) -> tuple[bool, bool, str]:
    """Order devices before other resources, and the number of pods last."""
    return "/" not in item[0], item[0] == "pods", item[0]


def required_keys(demand: Demand) -> list[str]:
    """Return the labels that a node must have, whatever their values."""
    return [*filter(None, [demand.group_topology]), *topology_keys(demand.spec)]


def topology_keys(spec: Object) -> list[str]:
    """Return the labels that a node must have for the job's topologies, whatever their values."""
    spreads = [each for each in items(spec, "topologySpreadConstraints") if is_hard(each)]
    terms = items(mapping(spec, "affinity", "podAffinity"), REQUIRED)
    return list(dict.fromkeys(text(each, "topologyKey") for each in (*spreads, *terms)))


def is_hard(constraint: Object) -> bool:
    """Return whether a pod stays Pending rather than break a topology spread constraint."""
    return text(constraint, "whenUnsatisfiable") in ("", "DoNotSchedule")


def untolerated(tolerations: list[Object], node: Node) -> Taint | None:
    """Return the first taint that keeps a pod away, or None."""
    taints = (each for each in node.taints if each.effect in _REPELLENT)
    return next((each for each in taints if not tolerates(tolerations, each)), None)


def tolerates(tolerations: list[Object], taint: Taint) -> bool:
    """Return whether a pod tolerates a taint.

    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#concepts
    """
    return any(_covers(each, taint) for each in tolerations)


def _covers(toleration: Object, taint: Taint) -> bool:
    key, operator, effect = (text(toleration, field) for field in ("key", "operator", "effect"))
    if effect not in ("", taint.effect) or key not in ("", taint.key):
        return False
    if operator == "Exists":
        return True
    return bool(key) and operator in ("", "Equal") and text(toleration, "value") == taint.value
