"""`scheduling`: when the workers start, and which nodes they run on."""

from __future__ import annotations

from typing import Any, Literal

from trainc.source.node import Mapping
from trainc.spec.section import Section, anything, choice, flag, inside, mapping, number, text


class Topology(Section):
    """A label of nodes in which the workers must agree, or only should."""

    key: str
    required: bool


class Queue(Section):
    """A LocalQueue of Kueue's, and the WorkloadPriorityClass by which it is ordered."""

    name: str
    priority_class: str | None


class Gang(Section):
    """Whose gang the workers are; a queue of that scheduler, and T9k's number from 0 to 100."""

    scheduler: Literal["volcano", "coscheduling", "kubernetes", "t9k"]
    queue: str | None
    priority: int | None


class Scheduling(Section):
    """Mostly Kubernetes' own fields of a pod; None where the user said nothing."""

    queue: Queue | None
    node_selector: dict[str, str] | None
    affinity: dict[str, Any] | None
    tolerations: list[dict[str, Any]] | None
    topology_spread_constraints: list[dict[str, Any]] | None
    priority_class_name: str | None
    scheduler_name: str | None
    one_worker_per_node: bool
    topology: Topology | None
    gang: Gang | None
    spot: str | None


def read_scheduling(node: Mapping) -> Scheduling:
    """The section, empty when the job has none."""
    section = inside(node, "scheduling")
    return Scheduling(
        node=section,
        queue=_queue(section),
        node_selector=anything(section, "nodeSelector"),
        affinity=anything(section, "affinity"),
        tolerations=anything(section, "tolerations"),
        topology_spread_constraints=anything(section, "topologySpreadConstraints"),
        priority_class_name=text(section, "priorityClassName"),
        scheduler_name=text(section, "schedulerName"),
        one_worker_per_node=flag(section, "oneWorkerPerNode") or False,
        topology=_topology(section),
        gang=_gang(section),
        spot=text(section, "spot"),
    )


def _topology(section: Mapping) -> Topology | None:
    inner = mapping(section, "topologyKey")
    if inner is not None:
        return Topology(node=inner, key=text(inner, "key") or "", required=flag(inner, "required") is not False)
    key = text(section, "topologyKey")
    return None if key is None else Topology(node=section, key=key, required=True)


def _queue(section: Mapping) -> Queue | None:
    inner = mapping(section, "queue")
    if inner is not None:
        return Queue(node=inner, name=text(inner, "name") or "", priority_class=text(inner, "priorityClass"))
    name = text(section, "queue")
    return None if name is None else Queue(node=section, name=name, priority_class=None)


def _gang(section: Mapping) -> Gang | None:
    inner = mapping(section, "gang")
    if inner is not None:
        name: Any = next(iter(inner.entries))  # the one key that the schema leaves is a scheduler
        options = inside(inner, name)
        return Gang(node=inner, scheduler=name, queue=text(options, "queue"), priority=number(options, "priority"))
    name = choice(section, "gang")
    return None if name is None else Gang(node=section, scheduler=name, queue=None, priority=None)
