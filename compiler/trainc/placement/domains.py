"""Domains in which all pods of a demand must run, with the pods that each has room for."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.placement.demand import Demand
from trainc.placement.node import Node
from trainc.placement.run import Run
from trainc.placement.shared_domains import EARLY, SharedDomain
from trainc.record import Record


class Domain(Record):
    """Nodes with one value of a label, in which all pods must run, and the number of pods that they have room for.

    `reason` is the beginning of a sentence about what is in the domain, and `is_of_volume` says that it is a volume.
    With `is_early` the domain is chosen before the pods have nodes.
    """

    key: str
    reason: str
    value: str = ""
    room: int = 0
    is_of_volume: bool = False
    is_early: bool = False


def domains(demand: Demand, nodes: list[Node], candidates: list[int]) -> Iterator[Domain]:
    """Yield the domains of each rule; a demand without such a rule has none."""
    run = Run([demand], nodes, [candidates], packs=False, is_lucky=True)
    reason = f"all {demand.count} pods must run"
    rules = [(Domain(key=each.key, reason=reason), list[str]()) for each in run.rules.attracted[0]]
    rules += [
        (_of_shared(each), each.domains if each.choice == EARLY else [])
        for each in run.rules.shared[0]
        if each.is_shared
    ]
    slots = {node: run.slots(demand, node) for node in candidates} if rules else {}
    for domain, values in rules:
        rooms = dict.fromkeys(values, 0)
        rooms |= {value: room for (value,), room in run.room(0, [domain.key], slots).items()}
        yield from (domain.replace(value=value, room=room) for value, room in rooms.items())


def _of_shared(each: SharedDomain) -> Domain:
    return Domain(key=each.key, reason=each.reason, is_of_volume=each.is_of_volume, is_early=each.choice == EARLY)
