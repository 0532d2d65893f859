"""Whether the nodes that the pods of a job can get have the network that the job asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trainc.cluster.entry import Entry
from trainc.compiled import Compiled
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.fabrics import NONE
from trainc.placement.demand import Demand
from trainc.placement.obstacles import obstacles
from trainc.plan.fields import items, text


def fabric_problems(job: Compiled, wanted: list[Demand], entry: Entry) -> Iterator[Diagnostic]:
    """Yield a problem if pods can get nodes whose fabric is another one: an error if no node has the job's.

    Only shapes that state a fabric are judged; for kube-scheduler a fabric is no requirement.
    """
    network = job.spec.network
    name = network.fabric if network else None
    fabrics = {text(each, "name"): text(each, "fabric") for each in items(entry.spec, "nodes") if "fabric" in each}
    if network is None or name is None or name == NONE or not fabrics:
        return
    nodes = entry.nodes()
    for demand in wanted:
        if not any("/" in resource for resource in demand.requests):
            continue  # a launcher pod, or another one without devices
        fitting = [node for node in nodes if not any(obstacles(demand, node))]
        others = Counter(node.shape for node in fitting if fabrics.get(node.shape, name) != name)
        if not others:
            continue
        shapes = ", ".join(f"{count} `{shape}` with {_words(fabrics[shape])}" for shape, count in others.items())
        where, others_only = network.where("fabric"), others.total() == len(fitting)
        if others_only:
            message = f"no node of cluster `{entry.name}` for the pods has fabric {name}: {shapes}"
            help_ = "set `network.fabric` to that of the nodes, or use another cluster"
            yield error(codes.FABRIC_OF_NODES, message, where, help=help_)
        else:
            message = (
                f"{others.total()} of {len(fitting)} nodes of cluster `{entry.name}` for the pods lack fabric {name}"
            )
            help_ = "select nodes with the fabric: `scheduling.nodeSelector`"
            yield warning(codes.FABRIC_OF_NODES, f"{message}: {shapes}", where, help=help_)


def _words(fabric: str) -> str:
    return "Ethernet only" if fabric == NONE else fabric
