"""Count how many values of foreign documents were carried over. Mappings and lists are not counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.node import Mapping, Node, Scalar, Sequence

Place = tuple[str, int, int, int, int]


def count_carried_over(documents: list[Node], diagnostics: Iterable[Diagnostic]) -> tuple[int, int]:
    """Return the number of values that were carried over, and of all values; aliases count once."""
    lossy = (codes.IMPORT_DROPPED_FIELD, codes.ROLE_PODS_DIFFER)
    dropped = [diagnostic.span.place for diagnostic in diagnostics if diagnostic.code in lossy]
    lost = {place for entry in dropped for place in places_below(documents, entry)}
    total = {place for document in documents for place in scalar_places(document)}
    return len(total - lost), len(total)


def scalar_places(node: Node) -> Iterator[Place]:
    """Yield the places of all scalars in a tree."""
    if isinstance(node, Scalar):
        yield node.span.place
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from scalar_places(item)
    else:
        for entry in node.entries.values():
            yield from scalar_places(entry.value)


def places_below(nodes: list[Node], place: Place) -> Iterator[Place]:
    """Yield the places of the scalars below the entry whose key or value is at a place."""
    for node in nodes:
        if isinstance(node, Sequence):
            for item in node.items:
                matches = place in (item.span.place, item.span.first.place)
                yield from scalar_places(item) if matches else places_below([item], place)
        elif isinstance(node, Mapping):
            for entry in node.entries.values():
                matches = place in (entry.key.span.place, entry.value.span.place)
                yield from scalar_places(entry.value) if matches else places_below([entry.value], place)
