"""Arrows of the picture. One that holds for all workers starts or ends at the frame around them."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.formats.graph import Graph
from trainc.plan.formats.svg_layout import Layout, Place
from trainc.plan.formats.svg_shapes import arrow, curve, drop, pill


def edges(graph: Graph, layout: Layout) -> str:
    """Draw all arrows."""
    workers = {box.id for box in graph.boxes if box.id.startswith("pod")}
    drawn = [*_owners(graph, layout), *_resolved(graph, layout, workers), *_rendezvous(graph, layout, workers)]
    return "".join([*drawn, *_mounts(graph, layout, workers)])


def _grouped(graph: Graph, kind: str, by_end: bool = False) -> dict[str, list[str]]:
    """Return the ends of arrows of a kind by their starts, or the starts by their ends."""
    groups: dict[str, list[str]] = {}
    for edge in graph.edges:
        if edge.kind == kind:
            key, other = (edge.end, edge.start) if by_end else (edge.start, edge.end)
            groups.setdefault(key, []).append(other)
    return groups


def _right(place: Place) -> float:
    """Return the right edge, past the stack of cards that stands for several pods."""
    return place.right + (10 if place.box.count > 1 else 0)


def _owners(graph: Graph, layout: Layout) -> Iterator[str]:
    x, y, _, height = layout.frame
    for owner in _grouped(graph, "creates"):
        place = layout.places[owner]
        yield arrow(curve(place.right, place.middle, x, y + height / 2), "owner", 1.8)
    for scaler, targets in _grouped(graph, "scales").items():
        place, end = layout.places[scaler], layout.places[targets[0]]
        middle = place.x + place.width / 2
        yield arrow(f"M{middle:g},{place.y:g} L{middle:g},{end.bottom + 2:g}", "owner", 1.8)


def _resolved(graph: Graph, layout: Layout, workers: set[str]) -> Iterator[str]:
    x, y, width, height = layout.frame
    for service, targets in _grouped(graph, "resolves").items():
        place = layout.places[service]
        if len(workers) > 1 and workers <= set(targets):
            yield arrow(curve(place.x, place.middle, x + width, y + height - 24), "service", dash="5 4")
            continue
        for end in (layout.places[target] for target in targets):
            if end.x > place.x:
                path = curve(place.right, place.middle, end.x, end.middle - 14)
            else:
                path = curve(place.x, place.y + 22, _right(end) + 1, end.middle - 14)
            yield arrow(path, "service", dash="5 4")


def _rendezvous(graph: Graph, layout: Layout, workers: set[str]) -> Iterator[str]:
    for service, sources in _grouped(graph, "rendezvous", by_end=True).items():
        place = layout.places[service]
        for start in (layout.places[source] for source in sources):
            if start.box.is_rendezvous_host and len(workers) > 1:
                continue
            yield arrow(curve(_right(start), start.middle + 10, place.x, place.y + 50), "rendezvous", 2.2)


def _mounts(graph: Graph, layout: Layout, workers: set[str]) -> Iterator[str]:
    x, y, width, height = layout.frame
    if layout.shelf:
        left, top, shelf_width, _ = layout.shelf
        yield arrow(drop(x + width / 2, y + height, left + shelf_width / 2, top), "volume", dash="2 4")
        return
    for volume, sources in _grouped(graph, "mounts", by_end=True).items():
        place = layout.places[volume]
        middle = place.x + place.width / 2
        if workers <= set(sources):
            yield arrow(drop(x + width / 2, y + height, middle, place.y), "volume", dash="2 4")
            continue
        for start in (layout.places[source] for source in sources):
            yield arrow(drop(start.x + 30, start.bottom, middle, place.y), "volume", dash="2 4")


def rendezvous_badges(graph: Graph, layout: Layout) -> str:
    """Draw the badges of the rendezvous: backend and port at its Service, and a word at its host."""
    rendezvous = next((edge for edge in graph.edges if edge.kind == "rendezvous" and edge.label), None)
    if rendezvous is None:
        return ""
    place = layout.places[rendezvous.end]
    hosts = [each for each in layout.places.values() if each.box.is_rendezvous_host]
    badges = [pill(place.right - 46, place.y, rendezvous.label, "rendezvous")]
    badges += [pill(host.right - 52, host.y + 2, "rendezvous", "rendezvous") for host in hosts]
    return "".join(badges)
