"""Graph of a plan: what creates the pods, which Services resolve to them, their rendezvous and their volumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal

from trainc.plan.fold_workers import Row, fold_workers
from trainc.plan.formats.summary import VOLUME_KINDS
from trainc.plan.name_resolver import Service
from trainc.plan.plan import Plan
from trainc.plan.quantity import format_bytes, format_count, plural
from trainc.plan.world import Worker
from trainc.record import Record
from trainc.report.document import Style

Kind = Literal["owner", "pods", "service", "volume", "external"]


class Mark(Record):
    """State of live pods: a color of the picture, and a word."""

    color: Style
    label: str


LAUNCHER = "launcher"  # beginning of the ids of launcher pods
NO_MARKS: Mapping[int, Mark] = MappingProxyType({})


class Box(Record):
    """Node of the graph. `label` is its kind for people, `count` the number of objects that it represents.

    `worker` is the first of the workers that it represents, `mark` what a status says about them.
    """

    id: str
    kind: Kind
    label: str
    title: str
    lines: tuple[str, ...] = ()
    count: int = 1
    is_rendezvous: bool = False
    is_created: bool = False
    worker: Worker | None = None
    mark: Mark | None = None


class Edge(Record):
    """Arrow from one box to another."""

    start: str
    end: str
    kind: Literal["creates", "starts", "resolves", "rendezvous", "mounts", "scales"]
    label: str = ""


class Graph(Record):
    """Boxes and arrows."""

    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]


def graph(plan: Plan, marks: Mapping[int, Mark] = NO_MARKS) -> Graph:
    """Return the graph with its boxes in reading order; marks are those of workers by position."""
    rows = fold_workers(plan.workers, marks)
    pods = [_pods(row, f"pod{number}", marks.get(row.first.position)) for number, row in enumerate(rows)]
    boxes, edges = _owners(plan, pods)
    boxes += pods
    servers = {}  # by owner: an arrow leads to the last of several alike
    for number, server in enumerate(plan.servers):
        kind, _, name = server.workload.partition("/")
        lines = (f"{format_count(server.cpus)} CPU, {format_bytes(server.memory)}",)
        if server.pod.is_launcher:
            edges += _launcher_edges(plan, box_id := f"{LAUNCHER}{number}", pods)
            boxes.append(Box(id=box_id, kind="pods", label="launcher pod", title=server.pod.hostname, lines=lines))
        else:
            boxes.append(Box(id=f"server{number}", kind="pods", label=kind, title=name or kind, lines=lines))
        servers[server.workload] = boxes[-1].id
    rendezvous = ""
    for number, services in enumerate(_group_services(plan, rows)):
        box = _service(plan, services, f"service{number}")
        boxes.append(box)
        rendezvous = box.id if box.is_rendezvous else rendezvous
        selected = set(services[0].pods)
        rows_of = [pod.id for pod, row in zip(pods, rows, strict=True) if selected & {w.position for w in row.workers}]
        targets = rows_of or (list(servers.values()) if selected else [])
        edges += [Edge(start=box.id, end=target, kind="resolves") for target in targets]
    launch = plan.workers[0].launch if plan.workers else None
    is_alone = plan.workers[0].is_rendezvous_host and plan.pod_count == 1 if plan.workers else False
    if launch is not None and launch.joins and not is_alone:
        if not rendezvous:
            rendezvous = "external"
            label, title = "outside these manifests", launch.rendezvous_host
            boxes.append(Box(id=rendezvous, kind="external", label=label, title=title, is_rendezvous=True))
        edges += [Edge(start=box.id, end=rendezvous, kind="rendezvous") for box in pods]
        edges[-1] = edges[-1].replace(label=f"{launch.backend or 'rank 0'} :{launch.port}")
    _volumes(pods, rows, boxes, edges)
    return Graph(boxes=tuple(boxes), edges=tuple(edges))


def _launcher_edges(plan: Plan, launcher: str, pods: list[Box]) -> Iterator[Edge]:
    """Yield the arrows of a launcher pod: from its owner, and to the workers, whose processes it starts."""
    if "/" in plan.owner:
        yield Edge(start="owner", end=launcher, kind="creates")
    for number, box in enumerate(pods):
        yield Edge(start=launcher, end=box.id, kind="starts", label="" if number else "starts processes")


def _owners(plan: Plan, pods: list[Box]) -> tuple[list[Box], list[Edge]]:
    boxes, edges = [], []
    if "/" in plan.owner:
        kind, name = plan.owner.split("/", 1)
        least, most = plan.world_sizes[0].pods, plan.world_sizes[-1].pods
        least, most = least + len(plan.launchers), most + len(plan.launchers)
        text = plural(most, "pod") if least == most else f"{least} to {most} pods"
        boxes.append(Box(id="owner", kind="owner", label=kind, title=name, lines=(text,)))
        edges += [Edge(start="owner", end=box.id, kind="creates") for box in pods]
    label = "HorizontalPodAutoscaler"
    for scaler in [each for each in plan.objects if each.kind == label][:1]:
        created = bool(scaler.created_by)
        boxes.append(Box(id="scaler", kind="owner", label=label, title=scaler.name, is_created=created))
        if "/" in plan.owner:
            edges.append(Edge(start="scaler", end="owner", kind="scales", label="scales"))
    return boxes, edges


def _group_services(plan: Plan, rows: list[Row]) -> Iterable[list[Service]]:
    """Group the Services that an operator creates for each pod of a row; any other is a group by itself."""
    row_of = {worker.position: number for number, row in enumerate(rows) for worker in row.workers}
    groups: dict[tuple[str, int], list[Service]] = {}
    for service in plan.services:
        is_per_pod = service.created_by and len(service.pods) == 1 and service.pods[0] in row_of
        key = ("row", row_of[service.pods[0]]) if is_per_pod else (service.name, -1)
        groups.setdefault(key, []).append(service)
    return groups.values()


def _service(plan: Plan, services: list[Service], box_id: str) -> Box:
    service, count = services[0], sum(each.multiplicity for each in services)
    label, title = "headless Service" if service.headless else "Service", service.name
    if count > 1:
        label = f"{count} {label}s, one per pod"
        title = f"{title} … {services[-1].name.rpartition('-')[2]}"
    return Box(
        id=box_id,
        kind="service",
        label=label,
        title=title,
        lines=(", ".join(f"{name} {port}".strip() for name, port in service.ports),),
        count=count,
        is_rendezvous=plan.rendezvous is not None and plan.rendezvous.service == service,
        is_created=bool(service.created_by),
    )


def _volumes(pods: list[Box], rows: list[Row], boxes: list[Box], edges: list[Edge]) -> None:
    """Add each volume once, whichever pods mount it, except the pods' own emptyDirs."""
    ids: dict[tuple[str, str], str] = {}
    for box, row in zip(pods, rows, strict=True):
        for volume in row.first.usage.volumes:
            if volume.kind == "emptyDir":
                continue
            key = volume.kind, volume.source
            if key not in ids:
                ids[key] = f"volume{len(ids)}"
                label, title = VOLUME_KINDS.get(volume.kind, volume.kind), volume.source or volume.name
                boxes.append(Box(id=ids[key], kind="volume", label=label, title=title, lines=(volume.path,)))
            edge = Edge(start=box.id, end=ids[key], kind="mounts")
            if edge not in edges:
                edges.append(edge)


def _pods(row: Row, box_id: str, mark: Mark | None) -> Box:
    worker, usage, count = row.first, row.first.usage, row.count
    gpus = f"{plural(int(usage.gpus), 'GPU')} · " if usage.gpus else ""
    shm = f" · {format_bytes(usage.shm)} /dev/shm" if usage.shm else ""
    return Box(
        id=box_id,
        kind="pods",
        label=("pod" if count == 1 else f"{count} pods") + (", on scale-up" if worker.pod.on_scale_up else ""),
        title=worker.pod.hostname + (f" … {row.last.pod.number}" if count > 1 else ""),
        lines=(
            *([f"{'ranks' if '–' in row.ranks else 'rank'} {row.ranks}"] if row.ranks else []),
            f"{gpus}{format_count(usage.cpus)} CPU{'s' if usage.cpus != 1 else ''}",
            f"{format_bytes(usage.memory)} memory{shm}",
        ),
        count=count,
        is_created=bool(worker.pod.created_by),
        worker=worker,
        mark=mark,
    )
