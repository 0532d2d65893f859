"""Tables of a plan: headings, rows and notes."""

from __future__ import annotations

from trainc.plan.expand import is_resolved
from trainc.plan.fold_workers import INDEX, fold_workers
from trainc.plan.formats.summary import MARK, mark
from trainc.plan.plan import Plan
from trainc.plan.quantity import format_bytes, format_count
from trainc.plan.usage import Usage
from trainc.plan.world import WorldSize
from trainc.well_known import SHM_PATH

Table = tuple[list[str], list[list[str]]]
NUMBERS = frozenset(("node", "ranks", "GPUs", "CPUs", "memory", SHM_PATH, "pods", "nodes", "world size"))


def pods(plan: Plan) -> Table:
    """Return the pods; workers that differ only in their index share a row."""
    rows = []
    for row in fold_workers(plan.workers):
        pod, usage = row.first.pod, row.first.usage
        name = pod.hostname
        if row.count > 1:
            name += f" … {row.last.pod.number} ({row.count} pods)"
        name += mark(pod.created_by) + (" on scale-up" if pod.on_scale_up else "")
        rows.append([name, ", ".join(row.names) or "none", row.nodes or "–", row.ranks or "–", *_resources(usage)])
        rows[-1].append(format_bytes(usage.shm) if usage.shm else usage.shm_source)
    for server in plan.servers:
        names = ", ".join(server.names) or "none"
        rows.append(
            [
                server.pod.hostname if server.pod.is_launcher else server.workload,
                names,
                "–",
                "–",
                "–",
                format_count(server.cpus),
                format_bytes(server.memory),
                "–",
            ]
        )
    return ["pod", "DNS names", "node", "ranks", "GPUs", "CPUs", "memory", SHM_PATH], rows


def world_sizes(plan: Plan) -> Table:
    """Return the sizes that the world can have, with the resources that each requests."""
    rows = []
    for size in plan.world_sizes:
        world = "–" if size.world is None else str(size.world)
        rows.append([size.name, str(size.pods), str(size.nodes), world, *_resources(size)])
    if plan.servers:
        rows.append(["with servers", str(plan.totals.pods), "", "", *_resources(plan.totals)])
    return ["size", "pods", "nodes", "world size", "GPUs", "CPUs", "memory"], rows


def _resources(amounts: Usage | WorldSize) -> list[str]:
    return [format_count(amounts.gpus), format_count(amounts.cpus), format_bytes(amounts.memory)]


def failure_cases(plan: Plan) -> Table:
    """Return what happens to the job, and what follows."""
    return ["trigger", "effect"], [list(case) for case in plan.failure_cases]


def notes(plan: Plan) -> list[str]:
    """Return explanations of marks and of the numbering."""
    lines = [f"{MARK} created by {operator}, not in the manifests." for operator in plan.operators]
    if plan.workers and not is_resolved(plan.workers[0].pod.name):
        kind = plan.owner.split("/")[0]
        lines.append(f"The {kind} adds five random characters to the pods' names; the table shows their hostnames.")
    launch = plan.workers[0].launch if plan.workers else None
    if launch is not None and launch.has_launcher and not launch.is_standalone and len(plan.workers) > 1:
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
    return lines
