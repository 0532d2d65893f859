"""Nodes that the pods of a job can get: a network other than the job asks for, or no slice of TPUs.

Chips communicate inside a slice only, which in GKE is a node pool. For kube-scheduler neither is a requirement:
https://docs.cloud.google.com/kubernetes-engine/docs/concepts/tpus
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trainc.cluster.entry import Entry
from trainc.compiled import Compiled
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.fabrics import NONE
from trainc.placement.demand import Demand
from trainc.placement.obstacles import obstacles, required_keys
from trainc.plan.fields import items, mapping, text
from trainc.tpu import NODE_POOL_LABEL, TOPOLOGY_LABEL, TPU, chip_count

_MAX_SHOWN = 3  # node pools in a message


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


def slice_problems(job: Compiled, wanted: list[Demand], entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error if no node pool has all hosts of the slice, a warning if the pods may get hosts of several ones.

    Pods that must be in one node pool are judged by their placement. Nodes without the label aren't judged.
    """
    nodes = entry.nodes() if any(TPU in each.requests for each in wanted) else []
    for demand in wanted:
        hosts = _hosts(demand)
        selector = mapping(demand.spec, "nodeSelector")
        if hosts < 2 or NODE_POOL_LABEL in (*selector, *required_keys(demand)):
            continue
        fitting = [node for node in nodes if not any(obstacles(demand, node))]
        pools = Counter(node.labels[NODE_POOL_LABEL] for node in fitting if NODE_POOL_LABEL in node.labels)
        if len(fitting) < hosts or pools.total() < len(fitting):
            continue
        where = job.spec.resources.where("tpu", TPU, "limits")
        topology, largest = text(selector, TOPOLOGY_LABEL), pools.most_common(_MAX_SHOWN)
        shown = ", ".join(f"`{pool}` has {count}" for pool, count in largest)
        if largest[0][1] < hosts:
            message = f"no node pool of cluster `{entry.name}` has {hosts} nodes for a slice of {topology}: {shown}"
            yield error(
                codes.HOSTS_OF_SLICES, message, where, help="wait until other pods end, or use another topology"
            )
        elif len(pools) > 1:
            message = (
                f"the pods may get nodes of {len(pools)} slices of cluster `{entry.name}`, which are not connected"
            )
            help_ = f"set `scheduling.topologyKey: {NODE_POOL_LABEL}`, or select a node pool"
            yield warning(codes.HOSTS_OF_SLICES, f"{message}: {shown}", where, help=help_)


def _hosts(demand: Demand) -> int:
    """Return the nodes of the slice that the pods select; 0 for other pods."""
    chips = demand.requests.get(TPU, 0)
    return (chip_count(text(demand.spec, "nodeSelector", TOPOLOGY_LABEL)) or 0) // chips if chips else 0
