"""Volumes of pods: the nodes that can use them, and whether pods share one."""

from __future__ import annotations

from trainc.placement.node import Node
from trainc.placement.selectors import describe_terms, matches_term
from trainc.plan.fields import Object
from trainc.record import Record


class Volume(Record):
    """Volume that limits the nodes of a pod; `name` is its name in messages, such as "the volume of claim `data`".

    A node must match one of `terms`, which are those of a node affinity; None is every node. With `key` the volume is
    in one value of this label. `is_shared` if all pods with `name` use one volume, otherwise each pod has its own.
    `is_new` if the volume does not exist yet: the node of its first pod decides where it is created, unless it
    `is_early`, created in any domain before its pods have nodes.
    """

    name: str
    terms: list[Object] | None = None
    key: str = ""
    is_shared: bool = False
    is_early: bool = False
    is_new: bool = False

    def __str__(self) -> str:
        return f"{self.name} ({describe_terms(self.terms)})" if self.terms is not None else self.name

    def is_usable(self, node: Node) -> bool:
        """Return whether pods on a node can use the volume, wherever it is created."""
        if self.key and self.key not in node.labels:
            return False
        return self.terms is None or any(matches_term(each, node) for each in self.terms)
