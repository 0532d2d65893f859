"""Devices of a fabric: their number on the job's machine, GPUs of a whole node, and a machine's own variables."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, warning
from trainc.checks.shared.user_fields import gpu_count
from trainc.fabrics import MACHINE_LABELS, NONE, Fabric, load, machines
from trainc.spec.worker import Network

TRIGGERS = ("has_fabric()",)


def check(context: RuleContext) -> Diagnostics:
    """Compare the job with the facts of the fabric."""
    network, spec = context.spec.network, context.spec
    if network is None or network.fabric in (None, NONE) or context.has_runtime:
        return
    assert network.fabric is not None
    fabric, machine = load(network.fabric), machines(spec.scheduling.node_selector)
    yield from _number(context, fabric, network, machine)
    gpus = gpu_count(context)
    if fabric.gpus and gpus != fabric.gpus:
        message = f"{fabric.name} needs all {fabric.gpus} GPUs of a node, but a worker has {gpus}"
        where = network.where("fabric")
        yield error(codes.FABRIC_DEVICES, message, where, help=Message("set `{resources.gpu: {}}`", fabric.gpus))
    own = fabric.machine_variables
    named = {name for variables in own.values() for name in variables}
    variables = {variable.name for variable in context.pod.main.user_variables}
    if own and not any(name in own for name in machine) and not named <= variables:
        message = f"{fabric.name} needs {', '.join(sorted(named))}, which depends on the machine: "
        message += f"trainc has none for `{machine[0]}`" if machine else "none is selected"
        in_env = Message("set {} in `{env}`", " and ".join(sorted(named)))
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
