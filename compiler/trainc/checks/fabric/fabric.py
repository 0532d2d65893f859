"""Fabric of the job: what contradicts it, capabilities that it needs, its devices, and further networks of the pods."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, remove, warning
from trainc.checks.shared.user_fields import gpu_count, patched_resources, resource_names
from trainc.fabrics import MACHINE_LABELS, NONE, Fabric, load, machines
from trainc.source.node import scalar_text
from trainc.spec.section import inside, words
from trainc.spec.worker import Network

TRIGGERS = ("network.fabric", "network.networks")

_EFA = "vpc.amazonaws.com/efa"
# Capabilities that include any other.
_ALL = ("ALL", "SYS_ADMIN")


def check(context: RuleContext) -> Diagnostics:
    """Compare the job with the facts of its fabric, and the container as it runs, with podTemplate merged into it."""
    network = context.spec.network
    if network is None or context.has_runtime:
        return
    fabric = load(network.fabric) if network.fabric not in (None, NONE) and network.fabric else None
    if fabric is None:
        if network.fabric == NONE:
            yield from _devices_without_fabric(context, network)
        yield from _unused_networks(network)
        return
    machine = machines(context.spec.scheduling.node_selector)
    yield from _variables(context, fabric, network, machine)
    yield from _capabilities(context, fabric, network)
    yield from _number(context, fabric, network, machine)
    yield from _machine(context, fabric, network, machine)
    yield from _networks(context, fabric, network, machine)


def _devices_without_fabric(context: RuleContext, network: Network) -> Diagnostics:
    names = resource_names((context.spec.resources.node, *patched_resources(context)))
    device = next(((name, span) for name, span in names if name == _EFA or name.startswith("rdma/")), None)
    if network.rdma is not None:
        device = network.rdma.resource, network.rdma.where("resource")
    if device is not None:
        message = Message("`{network/fabric: none}` contradicts the device `{}`", device[0])
        related = [(device[1], "requested here")]
        yield warning(
            codes.FABRIC_CONFLICT, message, network.where("fabric"), help="remove one of them", related=related
        )


def _variables(context: RuleContext, fabric: Fabric, network: Network, machine: tuple[str, ...]) -> Diagnostics:
    """Report values that disable the fabric, and other values of what its plug-in or daemon needs."""
    expected = fabric.environment(machine)
    related = [(network.where("fabric"), "the fabric")]
    for variable in context.pod.main.user_variables:
        name, value = variable.name, variable.value
        if variable.span.place == network.where("fabric").place or value is None:
            continue
        if value in fabric.contradictions.get(name, ()):
            message = f"`{name}: {value}` disables the fabric {fabric.name}: NCCL uses TCP"
        elif name in fabric.fixed and value != expected.get(name, value):
            message = f"`{name}: {value}` replaces `{expected[name]}`, which the fabric {fabric.name} needs"
        else:
            continue
        remedy = remove(variable.span)
        yield warning(codes.FABRIC_CONFLICT, message, variable.span, help="remove it", related=related, remedy=remedy)


def _capabilities(context: RuleContext, fabric: Fabric, network: Network) -> Diagnostics:
    """Report a podTemplate that replaces the capabilities."""
    security = inside(context.pod.main.node, "securityContext")
    added = inside(security, "capabilities").get("add")
    names = words(inside(security, "capabilities"), "add")
    missing = [name for name in fabric.capabilities if name not in names]
    if not missing or scalar_text(security.get("privileged")) == "true" or any(name in _ALL for name in names):
        return
    where = added.span if added is not None and added.span is not context.pod.generated else network.where("fabric")
    message = f"podTemplate removes {missing[0]}: {fabric.name} cannot register its buffers"
    yield warning(codes.RDMA_WITHOUT_IPC_LOCK, message, where, help=f"add {missing[0]} to `capabilities.add`")


def _machine(context: RuleContext, fabric: Fabric, network: Network, machine: tuple[str, ...]) -> Diagnostics:
    """Require the GPUs of a whole node, and the variables that depend on its type."""
    gpus = gpu_count(context)
    if fabric.gpus and gpus != fabric.gpus:
        message = f"{fabric.name} needs all {fabric.gpus} GPUs of a node, but a worker has {gpus}"
        where = network.where("fabric")
        yield error(codes.FABRIC_DEVICES, message, where, help=Message("set `{resources.gpu: {}}`", fabric.gpus))
    own = fabric.machine_variables
    required = {name for variables in own.values() for name in variables}
    variables = {variable.name for variable in context.pod.main.user_variables}
    if own and not any(name in own for name in machine) and not required <= variables:
        message = f"{fabric.name} needs {', '.join(sorted(required))}, which depends on the machine: "
        message += f"trainc has none for `{machine[0]}`" if machine else "none is selected"
        in_env = Message("set {} in `{env}`", " and ".join(sorted(required)))
        help_: Help = in_env if machine else (_select(own), in_env)
        yield warning(codes.FABRIC_DEVICES, message, network.where("fabric"), help=help_)


def _number(context: RuleContext, fabric: Fabric, network: Network, machine: tuple[str, ...]) -> Diagnostics:
    """Report a number of devices that neither the job nor its machine decides."""
    resources = context.spec.resources
    is_explicit = network.rdma is not None or fabric.device in {
        **resources.both,
        **resources.requests,
        **resources.limits,
    }
    if not fabric.device or is_explicit or fabric.devices(machine) is not None:
        return
    assert isinstance(fabric.count, dict)
    message = f"the number of {fabric.device} of a worker is unknown: "
    message += f"`{machine[0]}` is no known machine" if machine else "the job selects no type of machine"
    help_ = (_select(fabric.count), Message("set `{network.rdma: {{resource: {}, count: …}}}`", fabric.device))
    yield error(codes.FABRIC_DEVICES, message, network.where("fabric"), help=help_)


def _select(machines: dict[str, object] | dict[str, int] | dict[str, dict[str, str]]) -> Message:
    example = next(iter(machines))
    return Message("set `{scheduling.nodeSelector: {{{}: {}}}}`", MACHINE_LABELS[0], example)


def _unused_networks(network: Network) -> Diagnostics:
    if network.networks:
        what = f"the fabric {network.fabric} attaches no networks" if network.fabric else "no fabric is set"
        where = network.node.entries["networks"].key.span
        unused = Message("`{network/networks}` has no effect: {}", what)
        yield warning(codes.FABRIC_NETWORKS, unused, where, help="remove it", remedy=remove(where))


def _networks(context: RuleContext, fabric: Fabric, network: Network, machine: tuple[str, ...]) -> Diagnostics:
    """Report networks that are missing, or of another number than the machine has interfaces."""
    facts = fabric.networks
    if facts is None:
        yield from _unused_networks(network)
        return
    is_on_host = scalar_text(context.pod.spec.get("hostNetwork")) == "true"
    expected = len(fabric.network_names(machine))
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
