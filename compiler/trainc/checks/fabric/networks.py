"""Further networks of the pods: missing, of another number than the machine has interfaces, or unused."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, warning
from trainc.fabrics import NONE, load, machines
from trainc.source.node import scalar_text
from trainc.spec.section import inside

TRIGGERS = ("has_fabric()", "network.networks")


def check(context: RuleContext) -> Diagnostics:
    """Check the networks of the fabric."""
    network, spec = context.spec.network, context.spec
    if network is None or context.has_runtime:
        return
    fabric = load(network.fabric) if network.fabric not in (None, NONE) and network.fabric else None
    facts = fabric.networks if fabric else None
    if facts is None or fabric is None:
        if network.networks:
            what = f"the fabric {network.fabric} attaches no networks" if network.fabric else "no fabric is set"
            where = network.node.entries["networks"].key.span
            unused = Message("`{network/networks}` has no effect: {}", what)
            yield warning(codes.FABRIC_NETWORKS, unused, where, help="remove it", remedy=remove(where))
        return
    is_on_host = scalar_text(context.pod.spec.get("hostNetwork")) == "true"
    expected = len(fabric.network_names(machines(spec.scheduling.node_selector)))
    if is_on_host and (network.networks or facts.names):
        message = f"pods on the host network get no further networks, which {fabric.name} needs"
        where = network.where("hostNetwork") if network.host_network else network.where("fabric")
        yield error(codes.FABRIC_NETWORKS, message, where, help=Message("remove `{network.hostNetwork}`"))
    elif network.networks and expected and len(network.networks) != expected:
        message = f"{fabric.name} has {expected} networks on this machine, but the job names {len(network.networks)}"
        where = network.node.entries["networks"].key.span
        yield error(codes.FABRIC_NETWORKS, message, where, help=f"name {expected} networks")
    annotations = inside(inside(context.pod.template, "metadata"), "annotations").entries
    if facts.required and not is_on_host and facts.annotation not in annotations:
        message = f"the pods have no interface of {fabric.name}: no network is attached to them"
        help_ = (Message("name a NetworkAttachmentDefinition in `{network.networks}`"),)
        yield warning(codes.FABRIC_NETWORKS, message, network.where("fabric"), help=help_)
