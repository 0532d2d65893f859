"""Gangs: pods of a group that start together or not at all, and in one domain if the group says so."""

from __future__ import annotations

from trainc.placement.demand import Demand
from trainc.plan.fields import Object, items, number, text


def with_gang(wanted: list[Demand], objects: list[Object]) -> list[Demand]:
    """Return the demands of a job with the gang and the topology that its group states.

    Pods that name a group are in it, or all pods if none names one: an operator may add the name.
    """
    for each in objects:
        for name, size, topology in _groups(each):
            in_group = [demand for demand in wanted if _group_name(demand) == name]
            members = in_group or [demand for demand in wanted if not _group_name(demand) and not demand.group]
            least = min(size, sum(demand.count for demand in members))
            group = {"group": name, "gang": least, "group_topology": topology}
            own = set(map(id, members))
            wanted = [demand.replace(**group) if id(demand) in own else demand for demand in wanted]
    return wanted


def _groups(each: Object) -> list[tuple[str, int, str]]:
    """Return name, size and topology of the groups of an object.

    https://kubernetes.io/docs/concepts/scheduling-eviction/gang-scheduling/ and, for `schedulingConstraints`,
    pkg/scheduler/framework/plugins/topologyaware of kubernetes/kubernetes v1.36, which uses the first one.
    """
    name, spec = text(each, "metadata", "name"), each.get("spec")
    if text(each, "kind") == "Workload":  # of Kubernetes 1.35
        return [(name, number(group, "policy", "gang", "minCount") or 0, "") for group in items(spec, "podGroups")]
    if text(each, "kind") != "PodGroup":
        return []
    size = number(spec, "minMember") or number(spec, "schedulingPolicy", "gang", "minCount") or 0
    topology = items(spec, "schedulingConstraints", "topology")
    return [(name, size, text(topology[0], "key") if topology else "")]


def _group_name(demand: Demand) -> str:
    group, workload = demand.spec.get("schedulingGroup"), demand.spec.get("workloadRef")
    return text(group, "podGroupName") or text(workload, "name")
