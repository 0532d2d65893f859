"""Entry of a cluster: its file, and what it says about nodes, queues, classes and kinds."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.placement.node import DEFAULT_PODS, Node, Taint, read_amounts
from trainc.plan.fields import Object, items, mapping, number, text
from trainc.record import Record
from trainc.span import Span
from trainc.tpu import NODE_POOL_LABEL
from trainc.well_known import HOSTNAME_LABEL

MAXIMUM_NODES = 20_000  # of an entry


class Entry(Record):
    """Valid entry. `spec` is plain data; `file` is the path as messages show it.

    `places` are the positions of `backend`, `kubernetes` and names of controllers.
    """

    name: str
    file: str
    spec: Object
    places: dict[str, Span] = {}

    @property
    def kubernetes(self) -> str | None:
        """Version of Kubernetes."""
        return text(self.spec, "kubernetes") or None

    @property
    def backend(self) -> str | None:
        """Back end of jobs for the cluster."""
        return text(self.spec, "backend") or None

    @property
    def releases(self) -> list[str]:
        """Versions of controllers, as --target states them."""
        return [f"{name}={version}" for name, version in mapping(self.spec, "versions").items()]

    @property
    def tolerates_devices(self) -> bool:
        """Return whether the API server lets pods tolerate taints that are named like their devices."""
        stated = self.spec.get("toleratesExtendedResources")
        return self.has_node_pools if stated is None else stated is True

    @property
    def has_node_pools(self) -> bool:
        """Return whether nodes have GKE's label of their node pool."""
        return any(NODE_POOL_LABEL in mapping(shape, "labels") for shape in items(self.spec, "nodes"))

    def states(self, section: str) -> bool:
        """Return whether the entry has a section; without it nothing is known."""
        return section in self.spec

    def nodes(self) -> list[Node]:
        """Return all nodes, named after their shape; the label of the hostname is the name."""
        return [node for shape in items(self.spec, "nodes") for node in _nodes(shape)]


def node_count(shape: Object) -> int:
    """Return the number of nodes of a shape: one without `count` and `racks`."""
    count = number(shape, "count")
    racks = mapping(shape, "racks", "nodes")
    return count if count is not None else sum(map(int, racks.values())) if racks else 1


def _nodes(shape: Object) -> Iterator[Node]:
    label, name = text(shape, "racks", "label"), text(shape, "name")
    racks = [str(rack) for rack, count in mapping(shape, "racks", "nodes").items() for _ in range(count)]
    taints = tuple(
        Taint(text(each, "key"), text(each, "value"), text(each, "effect")) for each in items(shape, "taints")
    )
    for index in range(node_count(shape)):
        rack = {label: racks[index]} if index < len(racks) else {}
        yield Node(
            name=f"{name}-{index}",
            shape=name,
            labels={HOSTNAME_LABEL: f"{name}-{index}", **mapping(shape, "labels"), **rack},
            taints=taints,
            allocatable={"pods": DEFAULT_PODS, **read_amounts(mapping(shape, "allocatable"))},
            used=read_amounts(mapping(shape, "used")),
            unschedulable=shape.get("unschedulable") is True,
        )
