"""`scheduling`: queue, gang, and nodes of the workers."""

from __future__ import annotations

from typing import Any, Literal, Self

from trainc.source.node import Mapping
from trainc.spec.section import Section, choice, field, inside, mapping, number, only_key, text

Scheduler = Literal["volcano", "coscheduling", "kubernetes", "t9k"]


class Topology(Section):
    """Node label that the workers must have in common, or only should."""

    key: str
    required: bool = True

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Self | None:
        """Read the label alone, or the section."""
        key = text(node, name)
        return super().read_field(node, name) if key is None else cls(node=node, key=key)


class Queue(Section):
    """LocalQueue of Kueue, and the WorkloadPriorityClass that orders the job in it."""

    name: str
    priority_class: str | None

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Self | None:
        """Read the queue's name alone, or the section."""
        queue = text(node, name)
        return super().read_field(node, name) if queue is None else cls(node=node, name=queue, priority_class=None)


class Gang(Section):
    """Gang scheduler of the workers; its queue, and T9k's priority from 0 to 100."""

    scheduler: Scheduler
    queue: str | None
    priority: int | None

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Self | None:
        """Read the scheduler's name alone, or with its options."""
        section, scheduler = mapping(node, name), choice(node, name)
        if section is None:
            return cls(node=node, scheduler=scheduler, queue=None, priority=None) if scheduler else None
        scheduler = only_key(section)
        options = inside(section, scheduler)
        return cls(
            node=section, scheduler=scheduler, queue=text(options, "queue"), priority=number(options, "priority")
        )


class Scheduling(Section):
    """Mostly Kubernetes' own fields of a pod; None for a field that the file doesn't have."""

    queue: Queue | None
    node_selector: dict[str, str] | None
    affinity: dict[str, Any] | None
    tolerations: list[dict[str, Any]] | None
    topology_spread_constraints: list[dict[str, Any]] | None
    priority_class_name: str | None
    scheduler_name: str | None
    one_worker_per_node: bool = False
    topology: Topology | None = field(Topology.read_field, "topologyKey")
    gang: Gang | None
    spot: str | None
