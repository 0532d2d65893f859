"""Boxes and arrows of a plan: who makes the pods, which names lead to them, where they meet, what they mount."""

from __future__ import annotations

from typing import Literal

from trainc.plan.fold_workers import Row, fold_workers
from trainc.plan.formats.summary import KINDS
from trainc.plan.launch.worker_launch import LOCAL
from trainc.plan.name_resolver import Service
from trainc.plan.plan import Plan
from trainc.plan.quantity import format_bytes, format_count
from trainc.record import Record

Kind = Literal["owner", "pods", "service", "volume", "outside"]


class Box(Record):
    """A thing: what it is, its name, and a few words about it. `alike` is how many it stands for; `made` is what isn't
    in the manifests."""

    id: str
    kind: Kind
    of: str
    title: str
    lines: tuple[str, ...] = ()
    alike: int = 1
    meeting: bool = False
    hosts: bool = False
    made: bool = False


class Edge(Record):
    """From one box to another."""

    start: str
    end: str
    kind: Literal["makes", "names", "meets", "mounts", "scales"]
    label: str = ""


class Graph(Record):
    """All of a plan."""

    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]


def graph(plan: Plan) -> Graph:
    """The boxes in reading order."""
    boxes: list[Box] = []
    edges: list[Edge] = []
    folded = fold_workers(plan.workers)
    pods = [_pods(row, f"pod{number}") for number, row in enumerate(folded)]
    servers = [
        Box(
            id=f"server{number}",
            kind="pods",
            of=one.pod.owner.split("/")[0],
            title=one.pod.owner.split("/")[-1],
            lines=(f"{format_count(one.cpus)} CPU, {format_bytes(one.memory)}",),
        )
        for number, one in enumerate(plan.servers)
    ]
    every = [*((kind, name, "") for kind, name in plan.objects), *plan.created_objects]
    scaler, by = next(((name, by) for kind, name, by in every if kind == "HorizontalPodAutoscaler"), ("", ""))
    if "/" in plan.owner:
        kind, name = plan.owner.split("/", 1)
        least, most = plan.world_sizes[0].pods, plan.world_sizes[-1].pods
        text = f"{most} pods" if least == most else f"{least} to {most} pods"
        boxes.append(Box(id="owner", kind="owner", of=kind, title=name, lines=(text if most > 1 else "1 pod",)))
        edges += [Edge(start="owner", end=box.id, kind="makes") for box in pods]
    if scaler:
        boxes.append(Box(id="scaler", kind="owner", of="HorizontalPodAutoscaler", title=scaler, made=bool(by)))
        edges.append(Edge(start="scaler", end="owner", kind="scales", label="scales"))
    boxes += [*pods, *servers]
    places = {box.id: {one.position for one in row.workers} for box, row in zip(pods, folded, strict=True)}
    at = {one.pod.owner: f"server{number}" for number, one in enumerate(plan.servers)}
    start = plan.workers[0].launch if plan.workers else None
    meets = start.rendezvous_host if start and start.launcher != "none" else ""
    met = ""
    for number, (service, alike) in enumerate(_services(plan, folded)):
        ident = f"service{number}"
        meeting = plan.rendezvous is not None and plan.rendezvous.service == service
        met = ident if meeting else met
        ports = ", ".join(f"{name} {port}".strip() for name, port in service.ports)
        kind_of = "headless Service" if service.headless else "Service"
        title = service.name if len(alike) == 1 else f"{service.name} … {alike[-1].name.rpartition('-')[2]}"
        kind_of = kind_of if len(alike) == 1 else f"{len(alike)} {kind_of}s, each of a pod"
        boxes.append(
            Box(
                id=ident,
                kind="service",
                of=kind_of,
                title=title,
                lines=(ports,),
                alike=len(alike),
                meeting=meeting,
                made=bool(service.created_by),
            )
        )
        chosen = set(service.pods)
        edges += [Edge(start=ident, end=box, kind="names") for box, of in places.items() if of & chosen]
        if chosen and not any(of & chosen for of in places.values()):
            edges += [Edge(start=ident, end=box, kind="names") for box in at.values()]
    if meets and not met and meets not in LOCAL:
        boxes.append(Box(id="outside", kind="outside", of="not in these manifests", title=meets, meeting=True))
        met = "outside"
    if met and start:
        label = f"{start.backend or 'rank 0'} :{start.port}"
        edges += [Edge(start=box.id, end=met, kind="meets", label=label if box is pods[-1] else "") for box in pods]
    _volumes(pods, folded, boxes, edges)
    there = {box.id for box in boxes}
    drawn = [edge for edge in edges if edge.start in there and edge.end in there]
    return Graph(boxes=tuple(boxes), edges=tuple(drawn))


def _services(plan: Plan, folded: list[Row]) -> list[tuple[Service, list[Service]]]:
    """Each with those that are like it: an operator makes one for each pod, and pods that are alike are one box."""
    row_of = {one.position: number for number, row in enumerate(folded) for one in row.workers}
    found: dict[tuple[str, int], list[Service]] = {}
    for service in plan.services:
        one = service.created_by and len(service.pods) == 1 and service.pods[0] in row_of
        key = ("row", row_of[service.pods[0]]) if one else (service.name, -1)
        found.setdefault(key, []).append(service)
    return [(alike[0], alike) for alike in found.values()]


def _volumes(pods: list[Box], folded: list[Row], boxes: list[Box], edges: list[Edge]) -> None:
    """Each volume once, whoever mounts it; not the pods' own empty folders."""
    seen: dict[tuple[str, str], str] = {}
    for box, row in zip(pods, folded, strict=True):
        for volume in row.first.usage.volumes:
            if volume.kind == "emptyDir":
                continue
            key = volume.kind, volume.source
            if key not in seen:
                seen[key] = f"volume{len(seen)}"
                what = KINDS.get(volume.kind, volume.kind)
                title = volume.source or volume.name
                boxes.append(Box(id=seen[key], kind="volume", of=what, title=title, lines=(volume.path,)))
            if not any(edge.start == box.id and edge.end == seen[key] for edge in edges):
                edges.append(Edge(start=box.id, end=seen[key], kind="mounts"))


def _pods(row: Row, ident: str) -> Box:
    one = row.first
    title = one.pod.hostname if len(row.workers) == 1 else f"{one.pod.hostname} … {row.last.pod.number}"
    lines = []
    if row.ranks:
        many = "ranks" if "–" in row.ranks else "rank"
        lines.append(f"{many} {row.ranks}")
    gpus = f"{format_count(one.usage.gpus)} GPU{'s' if one.usage.gpus > 1 else ''} · " if one.usage.gpus else ""
    lines.append(f"{gpus}{format_count(one.usage.cpus)} CPU{'s' if one.usage.cpus != 1 else ''}")
    shm = f" · {format_bytes(one.usage.shm)} /dev/shm" if one.usage.shm else ""
    lines.append(f"{format_bytes(one.usage.memory)} memory{shm}")
    of = "pod" if len(row.workers) == 1 else f"{len(row.workers)} pods alike"
    of += ", when scaled up" if one.pod.on_scale_up else ""
    return Box(
        id=ident,
        kind="pods",
        of=of,
        title=title,
        lines=tuple(lines),
        alike=len(row.workers),
        hosts=one.is_rendezvous_host,
        made=bool(one.pod.created_by),
    )
