"""Network interfaces that do not reach other workers."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.ir.env import INTERFACE_VARIABLES
from trainc.source.node import scalar_text
from trainc.span import Span
from trainc.spec.section import inside

TRIGGERS = ("names_interface()", "network.interface")

NCCL, GLOO = INTERFACE_VARIABLES
# Interface names of hosts: https://systemd.io/PREDICTABLE_INTERFACE_NAMES/, bonds and InfiniBand.
OF_HOSTS = r"(en[opsx]|ib[ops]?|bond|team)\d\w*"


def check(context: RuleContext) -> Diagnostics:
    """A pod without hostNetwork has lo, eth0, and the interfaces that network plugins add by annotation."""
    if context.job.replicas.maximum == 1:
        return
    network = context.spec.network
    settings = {
        variable.span.place: (variable.name, variable.value, variable.span)
        for variable in context.pod.main.user_variables
    }
    if network is not None and network.interface is not None:  # also a variable, of the same place
        where = network.where("interface")
        settings[where.place] = ("interface", network.interface, where)
    for name, value, where in settings.values():
        if value and name in (*INTERFACE_VARIABLES, "interface"):
            yield from _names(context, name, value, where)


def _names(context: RuleContext, variable: str, value: str, where: Span) -> Diagnostics:
    """NCCL_SOCKET_IFNAME is a list of prefixes; a leading `^` excludes them, `=` matches whole names.

    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname
    Gloo takes only whole names (observed with torch 2.15: "Unable to find address for: ^lo").
    """
    names = [name.strip() for name in value.lstrip("^=").split(",")]
    if variable == GLOO and value[0] in "^=":
        message = f"{GLOO} takes only interface names: Gloo looks for an interface `{value}`"
        yield warning(codes.UNUSABLE_INTERFACE, message, where, help=f"use `{value[0]}` only in {NCCL}")
        return
    if any(name[:1] in ("^", "=") for name in names):
        message = f"`^` and `=` inside the list `{value}` are taken for part of a name"
        yield warning(codes.UNUSABLE_INTERFACE, message, where, help="put the sign once, before the whole list")
        return
    if value[0] == "^":
        return
    what = f"interface `{names[0]}`" if len(names) == 1 else f"interfaces `{value}`"
    if all(name == "lo" for name in names):
        message = "loopback interface `lo` does not reach other workers"
        yield error(codes.UNUSABLE_INTERFACE, message, where, help="remove it: the pod's interface is detected")
    elif all(name == "lo" or name.startswith("docker") for name in names):
        reach = "reaches" if len(names) == 1 else "reach"
        message = f"{what} {reach} only pods on the same node"
        help_ = "remove it, or exclude it with a leading `^`" if variable == NCCL else "remove it"
        yield warning(codes.UNUSABLE_INTERFACE, message, where, help=help_)
    elif (
        scalar_text(context.pod.spec.get("hostNetwork")) != "true"
        and all(re.fullmatch(OF_HOSTS, name) for name in names)
        and not _attached(context)
    ):
        verb = "exist" if len(names) > 1 else "exists"
        message = f"{what} {verb} only on the node, not in its pods, which have eth0"
        help_ = "remove it, or set `network.hostNetwork: true`"
        yield warning(codes.UNUSABLE_INTERFACE, message, where, help=help_)


def _attached(context: RuleContext) -> bool:
    """Return whether pods have more interfaces, by an annotation of Multus or similar, or by a resource claim."""
    annotations = inside(inside(context.pod.template, "metadata"), "annotations").entries
    # k8s.v1.cni.cncf.io/networks, networking.gke.io/interfaces, v1.multus-cni.io/default-network
    return any("network" in name for name in annotations) or "resourceClaims" in context.pod.spec.entries
