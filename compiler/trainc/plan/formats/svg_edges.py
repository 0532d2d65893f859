"""Arrows of the picture. One that holds for all workers starts or ends at the frame around them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from trainc.plan.formats.graph import Graph
from trainc.plan.formats.svg_layout import Frame, Layout, Place
from trainc.plan.formats.svg_shapes import arrow, curve, drop, pill


def edges(graph: Graph, layout: Layout) -> str:
    """Draw all arrows."""
    return "".join(dict.fromkeys(_edges(graph, layout)))


def _edges(graph: Graph, layout: Layout) -> Iterator[str]:
    """Yield the arrows; one that holds for all workers is repeated."""
    frame, shelf = layout.frame, layout.shelf
    workers = {box.id for box in graph.boxes if box.worker}
    ends: dict[tuple[str, str], set[str]] = defaultdict(set)
    for edge in graph.edges:
        ends[edge.kind, edge.start].add(edge.end)
        ends[edge.kind, edge.end].add(edge.start)
    volumes = [box.id for box in graph.boxes if box.kind == "volume"]
    for edge in sorted(graph.edges, key=lambda edge: volumes.index(edge.end) if edge.kind == "mounts" else -1):
        start, end = layout.places[edge.start], layout.places[edge.end]
        if edge.kind in ("creates", "starts"):
            yield _creates(edge.kind, start, end, frame)
        elif edge.kind == "scales":
            yield arrow(f"M{start.center:g},{start.y:g} L{start.center:g},{end.bottom + 2:g}", "creates")
        elif edge.kind == "resolves":
            if len(workers) > 1 and workers <= ends["resolves", edge.start]:
                path = curve(start.x, start.middle, frame.right, frame.bottom - 24)
            elif end.x > start.x:
                path = curve(start.right, start.middle, end.x, end.middle - 14)
            else:
                path = curve(start.x, start.y + 22, _right(end) + 1, end.middle - 14)
            yield arrow(path, "resolves")
        elif edge.kind == "rendezvous":
            if len(workers) == 1 or not _hosts_rendezvous(start):
                yield arrow(curve(_right(start), start.middle + 10, end.x, end.y + 50), "rendezvous")
        else:
            is_shared, target = shelf is not None or workers <= ends["mounts", edge.end], shelf or end
            x, y = (frame.center, frame.bottom) if is_shared else (start.x + 30, start.bottom)
            yield arrow(drop(x, y, target.center, target.y), "mounts")


def _creates(kind: str, start: Place, end: Place, frame: Frame) -> str:
    """Draw the arrow to the workers, or from an owner to the launcher below it."""
    if end.x == start.x:
        return arrow(f"M{start.center:g},{start.bottom:g} L{end.center:g},{end.y - 2:g}", kind)
    return arrow(curve(start.right, start.middle, frame.x, frame.middle + (20 if kind == "starts" else 0)), kind)


def _right(place: Place) -> float:
    """Return the right edge, past the stack of cards that stands for several pods."""
    return place.right + (10 if place.box.count > 1 else 0)


def _hosts_rendezvous(place: Place) -> bool:
    return place.box.worker is not None and place.box.worker.is_rendezvous_host


def rendezvous_badges(graph: Graph, layout: Layout) -> str:
    """Draw the badges of the rendezvous: backend and port at its Service, and a word at its host."""
    rendezvous = next((edge for edge in graph.edges if edge.kind == "rendezvous" and edge.label), None)
    if rendezvous is None:
        return ""
    place = layout.places[rendezvous.end]
    hosts = filter(_hosts_rendezvous, layout.places.values())
    badges = [pill(place.right - 46, place.y, rendezvous.label, "rendezvous")]
    badges += [pill(host.right - 52, host.y + 2, "rendezvous", "rendezvous") for host in hosts]
    return "".join(badges)
