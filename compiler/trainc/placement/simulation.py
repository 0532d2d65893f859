"""Placement of pods one by one, as kube-scheduler does it.

The scheduler chooses among the nodes that a pod fits by scores, and on a large cluster among a part of them. Its choice
decides how many pods fit only if rules of topology or different pods compete for nodes. So several orders of choice are
tried, and the result is a range. With several spread constraints chance decides more: then further orders are
tried, and the most is what each constraint alone allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import NamedTuple

from trainc.placement.demand import Demand
from trainc.placement.node import Node
from trainc.placement.run import Run
from trainc.placement.topology import depends_on_others, hard_spreads

_ORDERS = tuple(product((False, True), repeat=2))
_SHUFFLES = 8  # further orders for pods with several spread constraints


class Placed(NamedTuple):
    """Pods of a demand that get a node: at least and at most."""

    least: int
    most: int


def simulate(demands: list[Demand], nodes: list[Node], candidates: list[list[int]]) -> list[Placed]:
    """Return how many pods of each demand are placed. `candidates` are the positions of the nodes that each fits."""
    several = [number for number, demand in enumerate(demands) if len(hard_spreads(demand)) > 1]
    runs = _runs(demands, nodes, candidates, shuffles=_SHUFFLES if several or len(demands) > 1 else 0)
    placed = [Placed(min(counts), max(counts)) for counts in zip(*runs, strict=True)]
    for number in several:
        alone = [_runs(each, nodes, candidates) for each in _with_one_constraint(demands, number)]
        limit = min(max(counts[number] for counts in each) for each in alone)
        placed[number] = Placed(placed[number].least, max(placed[number].most, limit))
    for number, demand in enumerate(demands):
        if any(each.is_early and not each.is_shared for each in demand.volumes) and depends_on_others(demand):
            # The volumes of two pods may be in domains that rules between the pods don't allow together.
            placed[number] = Placed(min(placed[number].least, 0 if demand.gang > 1 else 1), placed[number].most)
    return placed


def _runs(demands: list[Demand], nodes: list[Node], candidates: list[list[int]], shuffles: int = 0) -> list[list[int]]:
    """Return the numbers of placed pods for each order."""
    runs = [Run(demands, nodes, candidates, packs, is_lucky) for packs, is_lucky in _ORDERS]
    chances = map(Random, range(shuffles))  # by their seeds the same in each run
    runs += [Run(demands, nodes, candidates, packs=False, is_lucky=True, chance=each) for each in chances]
    return [_with_larger_first(demands, each.place()) for each in runs]


def _with_larger_first(demands: list[Demand], counts: list[int]) -> list[int]:
    """Return the numbers of placed pods, with those of equal exclusive Jobs sorted: any of these may be the first."""
    equal: dict[tuple[str, str, int], list[int]] = {}
    for position, demand in enumerate(demands):
        if demand.exclusive:
            equal.setdefault((demand.owner, demand.exclusive, demand.count), []).append(position)
    counts = list(counts)
    for positions in equal.values():
        for position, count in zip(positions, sorted((counts[each] for each in positions), reverse=True), strict=True):
            counts[position] = count
    return counts


def _with_one_constraint(demands: list[Demand], number: int) -> Iterator[list[Demand]]:
    """Yield the demands with a single spread constraint of those that one has."""
    demand = demands[number]
    for rule in hard_spreads(demand):
        relaxed = demand.replace(spec={**demand.spec, "topologySpreadConstraints": [rule]})
        yield [*demands[:number], relaxed, *demands[number + 1 :]]
