"""Node of a cluster, as the scheduler sees it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from trainc.plan.quantity import parse_quantity
from trainc.record import Record

DEFAULT_PODS = 110  # a kubelet's default: https://kubernetes.io/docs/setup/best-practices/cluster-large/
_THOUSANDTHS = 1000

Amounts = dict[str, int]  # thousandths of cores, bytes, pieces


class Taint(NamedTuple):
    """Taint of a node. It keeps pods away unless its effect is PreferNoSchedule."""

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Node(Record):
    """Node with what its pods may request together and what those that run already request.

    `shape` names the nodes of the entry to which it belongs.
    """

    name: str
    shape: str
    labels: dict[str, str]
    taints: tuple[Taint, ...] = ()
    allocatable: Amounts
    used: Amounts = {}
    unschedulable: bool = False

    def free(self, resource: str) -> int:
        """Return the amount that further pods may request."""
        return self.allocatable.get(resource, 0) - self.used.get(resource, 0)


def whole(resource: str, amount: Fraction) -> int:
    """Return an amount in the scheduler's units, rounded up: thousandths of cores, bytes or pieces.

    `Resource` of pkg/scheduler/framework/types.go in kubernetes/kubernetes v1.36.
    """
    return ceil(amount * _THOUSANDTHS if resource == "cpu" else amount)


def read_amounts(quantities: dict[str, str]) -> Amounts:
    """Return amounts of quantities by resource."""
    return {name: whole(name, parse_quantity(value)) for name, value in quantities.items()}
