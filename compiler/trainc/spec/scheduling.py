"""`scheduling`: when the workers start, and which nodes they run on."""

from __future__ import annotations

from typing import Any, Literal

from trainc.source.node import Mapping
from trainc.spec.section import Section, anything, choice, flag, inside, mapping, text


class Topology(Section):
    """A label of nodes in which the workers must agree, or only should."""

    key: str
    required: bool


class Gang(Section):
    """Whose gang the workers are; a queue of that scheduler."""

    scheduler: Literal["volcano", "coscheduling", "kubernetes"]
    queue: str | None


class Scheduling(Section):
    """Mostly Kubernetes' own fields of a pod; None where the user said nothing."""

    queue: str | None
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
        queue=text(section, "queue"),
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


def _gang(section: Mapping) -> Gang | None:
    inner = mapping(section, "gang")
    if inner is not None:
        return Gang(node=inner, scheduler="volcano", queue=text(inside(inner, "volcano"), "queue"))
    name = choice(section, "gang")
    return None if name is None else Gang(node=section, scheduler=name, queue=None)
