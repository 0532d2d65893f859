"""Variables and devices of the job that contradict its fabric, and the capability to lock memory."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, remove, warning
from trainc.checks.shared.user_fields import patched_resources, resource_names
from trainc.fabrics import NONE, Fabric, load, machines
from trainc.source.node import Sequence, scalar_text
from trainc.spec.section import inside
from trainc.spec.worker import Network

TRIGGERS = ("network.fabric",)

_EFA = "vpc.amazonaws.com/efa"
# Capabilities that include any other.
_ALL = ("ALL", "SYS_ADMIN")


def check(context: RuleContext) -> Diagnostics:
    """Check the container as it runs, with podTemplate merged into it."""
    network = context.spec.network
    if network is None or network.fabric is None or context.has_runtime:
        return
    if network.fabric == NONE:
        yield from _devices_without_fabric(context, network)
        return
    fabric = load(network.fabric)
    yield from _variables(context, fabric, network)
    yield from _capabilities(context, fabric, network)


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


def _variables(context: RuleContext, fabric: Fabric, network: Network) -> Diagnostics:
    """Report values that disable the fabric, and other values of what its plug-in or daemon needs."""
    expected = fabric.environment(machines(context.spec.scheduling.node_selector))
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
    names = [scalar_text(item) for item in added.items] if isinstance(added, Sequence) else []
    missing = [name for name in fabric.capabilities if name not in names]
    if not missing or scalar_text(security.get("privileged")) == "true" or any(name in _ALL for name in names):
        return
    where = added.span if added is not None and added.span is not context.pod.generated else network.where("fabric")
    message = f"podTemplate removes {missing[0]}: {fabric.name} cannot register its buffers"
    yield warning(codes.RDMA_WITHOUT_IPC_LOCK, message, where, help=f"add {missing[0]} to `capabilities.add`")
