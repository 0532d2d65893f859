"""Report of a plan."""

from __future__ import annotations

from trainc.plan.expand import is_resolved
from trainc.plan.fold_workers import INDEX, fold_workers
from trainc.plan.formats.summary import MARK, headline, mark, summary
from trainc.plan.plan import Plan
from trainc.plan.quantity import format_bytes, format_count, plural
from trainc.plan.usage import Usage
from trainc.plan.world import WorldSize
from trainc.report.document import Block, Document, Fact, Facts, Head, Items, Row, Table
from trainc.well_known import SHM_PATH


def report(plan: Plan) -> Document:
    """Return the headline, the findings, and what the manifests say about all workers."""
    findings = tuple(Fact(name=each.where, text=each.sentence, style="bad") for each in plan.findings)
    blocks: list[Block] = [Items(items=findings)] if findings else []
    if plan.workers:
        blocks.append(pods(plan))
    if plan.node_fits:
        nodes = tuple(
            Fact(name=f"{each.pods} ({plural(each.count, 'pod')})", text=each.words) for each in plan.node_fits
        )
        unknown = (Fact(name="not judged", text=", ".join(plan.unjudged)),) if plan.unjudged else ()
        blocks.append(Facts(title=f"Nodes of cluster {plan.node_fits[0].cluster}", facts=(*nodes, *unknown)))
    if explained := notes(plan):
        blocks.append(Items(items=tuple(Fact(text=each) for each in explained)))
    facts = tuple(Fact(name=name, text=value) for name, value in summary(plan))
    blocks.append(Facts(title="Every worker", facts=facts, is_code=True))
    if plan.world_sizes:
        blocks.append(_world_sizes(plan))
    if plan.failure_cases:
        rows = tuple(Row(cells=case) for case in plan.failure_cases)
        blocks.append(Table(title="Failures and lifecycle", heads=("trigger", "effect"), rows=rows))
    return Document(head=Head(name=headline(plan)), blocks=tuple(blocks))


def pods(plan: Plan) -> Table:
    """Return the pods; workers that differ only in their index share a row."""
    rows = []
    has_roles = any(worker.launch.role for worker in plan.workers)
    for row in fold_workers(plan.workers):
        pod, usage = row.first.pod, row.first.usage
        name = pod.hostname
        if row.count > 1:
            name += f" … {row.last.pod.number} ({row.count} pods)"
        name += mark(pod.created_by) + (" on scale-up" if pod.on_scale_up else "")
        names = ", ".join(row.names) or "none"
        shm = format_bytes(usage.shm) if usage.shm else usage.shm_source
        roles = (row.first.launch.role,) if has_roles else ()
        cells = (name, *roles, names, row.nodes or "–", row.ranks or "–", *_resources(usage), shm)
        rows.append(Row(cells=cells))
    for server in plan.servers:
        name = server.pod.hostname if server.pod.is_launcher else server.workload
        names = ", ".join(server.names) or "none"
        amounts = (format_count(server.cpus), format_bytes(server.memory))
        rows.append(Row(cells=(name, *([""] if has_roles else []), names, "–", "–", "–", *amounts, "–")))
    numbers = ("node", "ranks", "GPUs", "CPUs", "memory", SHM_PATH)
    heads = ("pod", *(["runs"] if has_roles else []), "DNS names", *numbers)
    return Table(title="Pods", heads=heads, rows=tuple(rows), numbers=numbers)


def _world_sizes(plan: Plan) -> Table:
    """Return the sizes that the world can have, with the resources that each requests."""
    rows = []
    for size in plan.world_sizes:
        world = "–" if size.world is None else str(size.world)
        rows.append(Row(cells=(size.name, str(size.pods), str(size.nodes), world, *_resources(size))))
    if plan.servers:
        rows.append(Row(cells=("with servers", str(plan.totals.pods), "", "", *_resources(plan.totals))))
    heads = ("size", "pods", "nodes", "world size", "GPUs", "CPUs", "memory")
    return Table(title="World size and resources", heads=heads, rows=tuple(rows), numbers=heads[1:])


def _resources(amounts: Usage | WorldSize) -> tuple[str, str, str]:
    return format_count(amounts.gpus), format_count(amounts.cpus), format_bytes(amounts.memory)


def notes(plan: Plan) -> tuple[str, ...]:
    """Return explanations of marks and of the numbering."""
    if not plan.workers:
        return ()
    lines = [f"{MARK} created by {operator}, not in the manifests." for operator in plan.operators]
    if not is_resolved(plan.workers[0].pod.name):
        kind = plan.owner.split("/")[0]
        lines.append(f"The {kind} adds five random characters to the pods' names; the table shows their hostnames.")
    launch = plan.workers[0].launch
    if launch.has_launcher and not launch.is_standalone and len(plan.workers) > 1:
        if launch.rendezvous == "peer":
            order = "names" if plan.workers[0].ranks else "addresses"
            moved = (each for each in plan.workers if each.node_rank not in (None, each.pod.index))
            example = next((f": {each.pod.hostname} is node {each.node_rank}" for each in moved), "")
            lines.append(f"{launch.backend} ranks the nodes that take part by their {order}{example}.")
        elif launch.rendezvous == "external":
            lines.append(f"{launch.backend} ranks the nodes in the order in which they arrive.")
    if plan.world_sizes and plan.scale_by_hand:
        low, high = plan.world_sizes[0].pods, plan.world_sizes[-1].pods
        lines.append(f"The number of workers, {low} to {high}, is changed by hand: {plan.scale_by_hand}.")
    if any(INDEX in name for row in fold_workers(plan.workers) for name in row.names):
        lines.append(f"{INDEX} is the {'number in the name' if plan.operators else 'index'} of a worker.")
    return tuple(lines)
