"""Network interfaces that the workers can't meet on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import patch_of
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.lower.network import INTERFACE
from trainc.source.node import Mapping
from trainc.span import Span

TRIGGERS = ("env", "network.interface")

NCCL, GLOO = INTERFACE
# What hosts call their network cards: https://systemd.io/PREDICTABLE_INTERFACE_NAMES/, bonds and InfiniBand.
OF_HOSTS = r"(en[opsx]|ib[ops]?|bond|team)\d\w*"


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A pod of its own network has lo and eth0, and what annotations of its network plugins add."""
    if context.job.replicas.maximum == 1:
        return
    network, given = (
        context.spec.network,
        [(variable.name, variable.value, variable.span) for variable in context.spec.env],
    )
    if network is not None and network.interface is not None:
        given.append(("interface", network.interface, network.where("interface")))
    for name, value, where in given:
        if value and name in (*INTERFACE, "interface"):
            yield from _names(context, name, value, where)


def _names(context: RuleContext, variable: str, value: str, where: Span) -> Iterator[Diagnostic]:
    """NCCL_SOCKET_IFNAME is a list of prefixes; `^` before it excludes them, `=` wants whole names.

    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname
    Gloo takes whole names alone (seen with torch 2.15: "Unable to find address for: ^lo").
    """
    names = [name.strip() for name in value.lstrip("^=").split(",")]
    if variable == GLOO and value[0] in "^=":
        message = f"{GLOO} takes names of interfaces only: Gloo looks for one named {value}"
        yield warning(codes.UNUSABLE_INTERFACE, message, where, help=f"`{value[0]}` is for {NCCL}")
        return
    if any(name[:1] in ("^", "=") for name in names):
        message = "`^` and `=` stand once, before the whole list: here they are taken for letters of a name"
        yield warning(codes.UNUSABLE_INTERFACE, message, where)
        return
    if value[0] == "^":
        return
    what = f"the interface {names[0]}" if len(names) == 1 else "these interfaces"
    if all(name == "lo" for name in names):
        message = "the loopback interface reaches no other worker"
        yield error(codes.UNUSABLE_INTERFACE, message, where, help="leave it out: the pods' own interface is found")
    elif all(name == "lo" or name.startswith("docker") for name in names):
        message = f"{what} ends at its own node and reaches no other worker"
        help_ = "leave it out, or put `^` before it, which excludes it" if variable == NCCL else "leave it out"
        yield warning(codes.UNUSABLE_INTERFACE, message, where, help=help_)
    elif (
        not context.job.pod.host_network
        and all(re.fullmatch(OF_HOSTS, name) for name in names)
        and not _attached(context)
    ):
        be = "are" if len(names) > 1 else "is"
        message = f"{what} {be} the node's, and the pods have a network of their own, with eth0"
        help_ = "leave it out, or use network.hostNetwork: true"
        yield warning(codes.UNUSABLE_INTERFACE, message, where, help=help_)


def _attached(context: RuleContext) -> bool:
    """Whether something gives the pods more interfaces: Multus and its like by annotation, or a resource claim."""
    template, spec = context.spec.pod_template, patch_of(context)
    metadata = template.get("metadata") if template else None
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    names = list(context.spec.metadata.annotations)
    names += list(annotations.entries) if isinstance(annotations, Mapping) else []
    # k8s.v1.cni.cncf.io/networks, networking.gke.io/interfaces, v1.multus-cni.io/default-network
    return any("network" in name for name in names) or bool({"resourceClaims", "hostNetwork"} & spec.entries.keys())
