"""The tables of a plan, with their heads, and what a reader of them should know."""

from __future__ import annotations

from trainc.plan.fold_workers import INDEX, fold_workers
from trainc.plan.formats.summary import MADE, mark
from trainc.plan.plan import Plan
from trainc.plan.quantity import format_bytes, format_count
from trainc.plan.usage import SHM

Table = tuple[list[str], list[list[str]]]
NUMBERS = frozenset(("node", "ranks", "GPUs", "CPUs", "memory", SHM, "pods", "in the world", "world size"))


def pods(plan: Plan) -> Table:
    """Heads and rows of the table of pods; alike workers are one row."""
    heads = ["pod", "name for others", "node", "ranks", "GPUs", "CPUs", "memory", SHM]
    found = []
    for row in fold_workers(plan.workers):
        used, hosts = row.first.usage, f"{row.first.pod.hostname}"
        if len(row.workers) > 1:
            hosts += f" … {row.last.pod.number} ({len(row.workers)} alike)"
        late = " when scaled up" if row.first.pod.on_scale_up else ""
        hosts += mark(row.first.pod.created_by)
        cells = [hosts + late, ", ".join(row.names) or "none", row.nodes or "–", row.ranks or "–"]
        cells += [
            format_count(used.gpus),
            format_count(used.cpus),
            format_bytes(used.memory),
            format_bytes(used.shm) if used.shm else used.shm_source,
        ]
        found.append(cells)
    for server in plan.servers:
        cells = [server.pod.owner, ", ".join(server.names) or "none", "–", "–", "–"]
        found.append([*cells, format_count(server.cpus), format_bytes(server.memory), "–"])
    return heads, found


def sizes(plan: Plan) -> Table:
    """Heads and rows of the sizes that the world can have, and what it takes."""
    heads = ["", "pods", "in the world", "world size", "GPUs", "CPUs", "memory"]
    found = [
        [
            stage.name or "all",
            str(stage.pods),
            str(stage.nodes),
            "–" if stage.world is None else str(stage.world),
            format_count(stage.gpus),
            format_count(stage.cpus),
            format_bytes(stage.memory),
        ]
        for stage in plan.world_sizes
    ]
    if plan.servers:
        all_ = plan.totals
        found.append(
            [
                "with its servers",
                str(all_.pods),
                "",
                "",
                format_count(all_.gpus),
                format_count(all_.cpus),
                format_bytes(all_.memory),
            ]
        )
    return heads, found


def notes(plan: Plan) -> list[str]:
    """What a reader of the table should know."""
    found = [f"{MADE} isn't in the manifests: {one} makes it." for one in plan.operators]
    if plan.owner.startswith("Job/"):
        found.append("The Job adds five random characters to its pods' names; their hostnames are those above.")
    if plan.workers and plan.workers[0].launch.backend == "c10d" and len(plan.workers) > 1:
        odd = next((one for one in plan.workers if one.node_rank not in (None, one.pod.index)), None)
        what = "names" if plan.workers[0].ranks else "addresses"
        text = f"c10d numbers the nodes in the order of their {what}, among those that are there"
        found.append(text + (f": {odd.pod.hostname} is node {odd.node_rank}." if odd else "."))
    start = plan.workers[0].launch if plan.workers else None
    most = plan.world_sizes[-1].pods if plan.world_sizes else 0
    if start and start.launcher == "torchrun" and start.nodes and start.nodes[1] > most:
        more = f"torchrun takes up to {start.nodes[1]} nodes, but nothing here makes more than {most}"
        found.append(f"{more}: scale the {plan.owner.split('/')[0]} to have them.")
    if start and start.backend.startswith("etcd"):
        found.append("etcd numbers the nodes in the order in which they come.")
    if any(INDEX in name for row in fold_workers(plan.workers) for name in row.names):
        of = "a worker's number" if not plan.operators else "the number in a worker's name"
        found.append(f"{INDEX} is {of}.")
    return found
