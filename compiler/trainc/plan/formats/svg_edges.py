"""The arrows of a picture. What holds for all workers goes to the frame around them, once."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.formats.graph import Graph
from trainc.plan.formats.svg_layout import Layout, Place
from trainc.plan.formats.svg_shapes import arrow, curve, fall, pill


def edges(found: Graph, laid: Layout) -> str:
    """All arrows."""
    workers = {box.id for box in found.boxes if box.id.startswith("pod")}
    drawn = [*_owners(found, laid), *_names(found, laid, workers), *_meetings(found, laid, workers)]
    return "".join([*drawn, *_mounts(found, laid, workers)])


def _by(found: Graph, kind: str, end: bool) -> dict[str, list[str]]:
    """For each box at one end of arrows of a kind, those at the other."""
    by: dict[str, list[str]] = {}
    for edge in found.edges:
        if edge.kind == kind:
            here, there = (edge.end, edge.start) if end else (edge.start, edge.end)
            by.setdefault(here, []).append(there)
    return by


def _right(place: Place) -> float:
    """Past the pile of cards that stands for several pods."""
    return place.right + (10 if place.box.alike > 1 else 0)


def _owners(found: Graph, laid: Layout) -> Iterator[str]:
    x, y, _, height = laid.frame
    for owner in _by(found, "makes", end=False):
        place = laid.places[owner]
        yield arrow(curve(place.right, place.middle, x, y + height / 2), "owner", 1.8)
    for scaler, others in _by(found, "scales", end=False).items():
        place, end = laid.places[scaler], laid.places[others[0]]
        middle = place.x + place.width / 2
        yield arrow(f"M{middle:g},{place.y:g} L{middle:g},{end.bottom + 2:g}", "owner", 1.8)


def _names(found: Graph, laid: Layout, workers: set[str]) -> Iterator[str]:
    x, y, width, height = laid.frame
    for service, others in _by(found, "names", end=False).items():
        place = laid.places[service]
        if len(workers) > 1 and workers <= set(others):
            yield arrow(curve(place.x, place.middle, x + width, y + height - 24), "service", dash="5 4")
            continue
        for end in (laid.places[other] for other in others):
            if end.x > place.x:
                path = curve(place.right, place.middle, end.x, end.middle - 14)
            else:
                path = curve(place.x, place.y + 22, _right(end) + 1, end.middle - 14)
            yield arrow(path, "service", dash="5 4")


def _meetings(found: Graph, laid: Layout, workers: set[str]) -> Iterator[str]:
    for service, others in _by(found, "meets", end=True).items():
        place = laid.places[service]
        for start in (laid.places[one] for one in others):
            if start.box.hosts and len(workers) > 1:
                continue
            yield arrow(curve(_right(start), start.middle + 10, place.x, place.y + 50), "meet", 2.2)


def _mounts(found: Graph, laid: Layout, workers: set[str]) -> Iterator[str]:
    x, y, width, height = laid.frame
    if laid.shelf:
        left, top, wide, _ = laid.shelf
        yield arrow(fall(x + width / 2, y + height, left + wide / 2, top), "volume", dash="2 4")
        return
    for volume, others in _by(found, "mounts", end=True).items():
        place = laid.places[volume]
        middle = place.x + place.width / 2
        if workers <= set(others):
            yield arrow(fall(x + width / 2, y + height, middle, place.y), "volume", dash="2 4")
            continue
        for start in (laid.places[other] for other in others):
            yield arrow(fall(start.x + 30, start.bottom, middle, place.y), "volume", dash="2 4")


def words(found: Graph, laid: Layout) -> str:
    """What is written on boxes: how to meet there, and at which pod that is."""
    meeting = next((edge for edge in found.edges if edge.kind == "meets" and edge.label), None)
    if meeting is None:
        return ""
    place = laid.places[meeting.end]
    parts = [pill(place.right - 46, place.y, meeting.label, "meet")]
    parts += [pill(one.right - 52, one.y + 2, "all meet here", "meet") for one in laid.places.values() if one.box.hosts]
    return "".join(parts)
