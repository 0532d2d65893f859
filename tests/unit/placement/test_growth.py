"""The cost of a placement grows with pods and with nodes, not with their product."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from tests.support.executed_lines import executed_lines
from tests.unit.placement.test_fit import own_affinity, pods, spread
from tests.unit.placement.test_groups import gang, slices
from trainc.placement.demand import Demand
from trainc.placement.fit import fits
from trainc.placement.node import Node, read_amounts
from trainc.placement.obstacles import obstacles
from trainc.placement.run import Run
from trainc.well_known import HOSTNAME_LABEL

ZONE, RACK = "zone", "rack"


def cluster(count: int) -> list[Node]:
    """Return nodes in 3 zones and racks of 20, with room for one pod each."""
    amounts = read_amounts({"cpu": "100", "nvidia.com/gpu": "8", "pods": "110"})
    labels = [{HOSTNAME_LABEL: f"n{each}", ZONE: f"z{each // 20 % 3}", RACK: f"r{each // 20}"} for each in range(count)]
    return [Node(name=f"n{each}", shape="n", labels=own, allocatable=amounts) for each, own in enumerate(labels)]


def spread_over(*keys: str) -> dict[str, Any]:
    return {"topologySpreadConstraints": [spread(key, 1) for key in keys]}


def one(count: int, **spec: Any) -> list[Demand]:
    """Return the demand of equal pods, without the cost of their creation."""
    return [each.replace(count=count) for each in pods(1, **spec)]


_APART = own_affinity("podAntiAffinity", HOSTNAME_LABEL)
RULES: dict[str, Callable[[int], list[Demand]]] = {
    "no rule": one,
    "zone": lambda count: one(count, **spread_over(ZONE)),
    "rack": lambda count: one(count, **spread_over(RACK)),
    "host": lambda count: one(count, **spread_over(HOSTNAME_LABEL)),
    "zone and rack": lambda count: one(count, **spread_over(ZONE, RACK)),
    "zone and host": lambda count: one(count, **spread_over(ZONE, HOSTNAME_LABEL)),
    "one a node": lambda count: one(count, affinity=_APART),
    "one zone": lambda count: one(count, affinity=own_affinity("podAffinity", ZONE)),
    "one zone, one a node": lambda count: one(count, affinity={**own_affinity("podAffinity", ZONE), **_APART}),
    "group in a zone": lambda count: [gang(1, 1, ZONE)[0].replace(count=count, gang=count)],
}


@pytest.mark.parametrize("chance", [None, 1])
@pytest.mark.parametrize("name", RULES)
def test_a_pod_costs_as_much_on_a_large_cluster_as_on_a_small_one(name: str, chance: int | None) -> None:
    """In a tree of 960 nodes a path is two steps longer than in one of 240; a product would be four times as much."""

    def cost(count: int, size: int) -> int:
        source = None if chance is None else Random(chance)
        run = Run(RULES[name](count), cluster(size), [list(range(size))], False, True, source)
        return executed_lines(run.place)

    few, many = 30, 90
    small, large = (cost(many, size) - cost(few, size) for size in (240, 960))
    assert large < 1.6 * small + 1_000


def test_counts_are_those_of_placing_one_by_one() -> None:
    """Worked out by hand: 120 nodes, 40 in each zone, 6 racks, one pod a node."""
    nodes = cluster(120)
    placed = {name: [(each.least, each.most) for each in fits(make(200), nodes)] for name, make in RULES.items()}
    assert placed.pop("one zone") == placed.pop("one zone, one a node") == [(40, 40)]
    assert placed.pop("group in a zone") == [(0, 0)]
    assert set(map(tuple, placed.values())) == {((120, 120),)}


def test_equal_requirements_are_judged_once_for_each_node() -> None:
    """The Jobs of a JobSet with exclusive placement differ only in their own labels."""
    nodes = cluster(60)
    with patch("trainc.placement.fit.obstacles", wraps=obstacles) as judged:
        assert len(fits(slices(5, 4), nodes)) == 5
    assert judged.call_count == 60
