"""Domains in which all pods of a demand must run, with the pods that each has room for."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.placement.demand import Demand
from trainc.placement.node import Node
from trainc.placement.run import Run
from trainc.placement.shared import EARLY
from trainc.record import Record


class Domain(Record):
    """Nodes with one value of a label, in which all pods must run: how many fit a pod, and the pods they take.

    `reason` is the beginning of a sentence about what is in the domain; `is_early` if it is chosen before the pods.
    """

    reason: str
    key: str
    value: str
    nodes: int
    room: int
    is_early: bool = False


def domains(demand: Demand, nodes: list[Node], candidates: list[int]) -> Iterator[Domain]:
    """Yield the domains of each rule; a demand without such a rule has none."""
    run = Run([demand], nodes, [candidates], packs=False, is_lucky=True)
    reason = f"all {demand.count} pods must run"
    rules = [(each.key, reason, False, list[str]()) for each in run.rules.attracted[0]]
    rules += [
        (each.key, each.reason, each.choice == EARLY, each.domains) for each in run.rules.shared[0] if each.is_shared
    ]
    slots = {node: run.slots(demand, node) for node in candidates} if rules else {}
    for key, words, is_early, values in rules:
        room = run.room(0, [key], slots)
        counts: dict[str, int] = dict.fromkeys(values, 0) if is_early else {}
        for node in slots:
            value = nodes[node].labels.get(key, "")
            counts[value] = counts.get(value, 0) + 1
        for value, count in counts.items():
            yield Domain(reason=words, key=key, value=value, nodes=count, room=room.get((value,), 0), is_early=is_early)
