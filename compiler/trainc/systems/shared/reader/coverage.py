"""How much of other systems' documents was carried over, counted in values that are no collections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.node import Mapping, Node, Scalar, Sequence

Place = tuple[str, int, int, int, int]


def count_carried_over(documents: list[Node], said: Iterable[Diagnostic]) -> tuple[int, int]:
    """The number of values that were carried over, and of all that there are; of nodes met twice by an alias one."""
    dropped = [one.span.place for one in said if one.code in (codes.IMPORT_DROPPED_FIELD, codes.ROLE_PODS_DIFFER)]
    lost = {place for one in dropped for place in places_below(documents, one)}
    there = {place for document in documents for place in scalar_places(document)}
    return len(there - lost), len(there)


def scalar_places(node: Node) -> Iterator[Place]:
    """The places of all values that are no collections."""
    if isinstance(node, Scalar):
        yield node.span.place
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from scalar_places(item)
    else:
        for entry in node.entries.values():
            yield from scalar_places(entry.value)


def places_below(nodes: list[Node], place: Place) -> Iterator[Place]:
    """The values below the entry whose key or value is at a place."""
    for node in nodes:
        if isinstance(node, Sequence):
            for item in node.items:
                yield from (
                    scalar_places(item)
                    if place in (item.span.place, item.span.first.place)
                    else places_below([item], place)
                )
        elif isinstance(node, Mapping):
            for entry in node.entries.values():
                if place in (entry.key.span.place, entry.value.span.place):
                    yield from scalar_places(entry.value)
                else:
                    yield from places_below([entry.value], place)
