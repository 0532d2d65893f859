"""Workers on the host network: ports of nodes, and c10d; and network interfaces that do not reach other workers."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, Help, Message, Remedy, RuleContext, codes, error, remove, warning
from trainc.fabrics import NONE, load
from trainc.ir.env import INTERFACE_VARIABLES
from trainc.source.node import scalar_text
from trainc.span import Span
from trainc.spec.section import inside

TRIGGERS = ("network.hostNetwork", "names_interface()", "network.interface")

# https://kubernetes.io/docs/reference/networking/ports-and-protocols/, and sshd.
NODE_PORTS = {
    22: "sshd",
    111: "rpcbind",
    2379: "etcd",
    2380: "etcd",
    6443: "the API server",
    9100: "the node exporter",
    9400: "the DCGM exporter",
    10248: "the kubelet",
    10249: "kube-proxy",
    10250: "the kubelet",
    10255: "the kubelet",
    10256: "kube-proxy",
    10257: "the controller manager",
    10259: "the scheduler",
}
NCCL, GLOO = INTERFACE_VARIABLES
# Interface names of hosts: https://systemd.io/PREDICTABLE_INTERFACE_NAMES/, bonds and InfiniBand.
OF_HOSTS = r"(en[opsx]|ib[ops]?|bond|team)\d\w*"
# Of networks that are attached to a pod, by GKE and by Multus.
OF_NETWORKS = r"(eth|net)[1-9]\d*"


def check(context: RuleContext) -> Diagnostics:
    yield from _host_network(context)
    yield from _interfaces(context)


def _host_network(context: RuleContext) -> Diagnostics:
    """Check every port of the job's Services, and the rendezvous.

    docs/adr/0004-rendezvous-name.md explains how worker 0 recognizes the endpoint.
    """
    network, service, launch = context.spec.network, context.job.headless_service, context.job.launch
    if network is None or not network.host_network or service is None:
        return
    for port in service.ports:
        if port.number in NODE_PORTS:
            other = (network.where("hostNetwork"), "pods use the host network")
            message = f"port {port.number} is used by {NODE_PORTS[port.number]} on many nodes"
            message += ": a worker cannot listen on it"
            section, field = context.spec.launch.port_field(port.name)
            yield warning(codes.HOST_PORT_CONFLICT, message, section.where(field), related=[other])
    own = (variable.value for variable in context.pod.main.user_variables if variable.name == "PET_RDZV_BACKEND")
    if next(own, launch.rendezvous.backend) == "c10d":
        reason = "elastic" if context.spec.elastic else "maxRestarts" if launch.max_restarts else None
        pods = Message("with `{network/hostNetwork}` pods have their nodes' hostnames")
        reported = Message("{}: c10d recognizes worker 0 only if DNS is in time", pods)
        help_ = f"use the rendezvous backend etcd-v2{f', or static without {reason}' if reason else ' or static'}"
        yield warning(codes.HOST_NETWORK_RENDEZVOUS, reported, network.where("hostNetwork"), help=help_)


def _interfaces(context: RuleContext) -> Diagnostics:
    """Check the names.

    A pod without hostNetwork has lo, eth0, and the interfaces that network plug-ins add by annotation.
    """
    if context.job.replicas.maximum == 1:
        return
    network = context.spec.network
    variables = {item.span.place: (item.name, item.value, item.span) for item in context.pod.main.user_variables}
    if network is not None and network.interface is not None:  # also a variable, of the same place
        where = network.where("interface")
        variables[where.place] = ("interface", network.interface, where)
    for name, value, where in variables.values():
        if value and name in (*INTERFACE_VARIABLES, "interface"):
            yield from _check_names(context, name, value, where)


def _check_names(context: RuleContext, variable: str, value: str, where: Span) -> Diagnostics:
    """Check one variable.

    NCCL_SOCKET_IFNAME is a list of prefixes; a leading `^` excludes them, `=` matches whole names.

    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname Gloo takes only whole names
    (observed with torch 2.15: "Unable to find address for: ^lo").
    """
    names = [name.strip() for name in value.lstrip("^=").split(",")]
    interface, is_single = f"interface `{names[0]}`" if len(names) == 1 else f"interfaces `{value}`", len(names) == 1
    severity = warning
    remedy: Remedy | None = remove(where)
    help_: Help
    if variable == GLOO and value[0] in "^=":
        message = f"{GLOO} takes only interface names: Gloo looks for an interface `{value}`"
        help_, remedy = f"use `{value[0]}` only in {NCCL}", None
    elif any(name[:1] in ("^", "=") for name in names):
        message = f"`^` and `=` inside the list `{value}` are taken for part of a name"
        help_, remedy = "put the sign once, before the whole list", None
    elif value[0] == "^":
        return
    elif all(name == "lo" for name in names):
        message = "loopback interface `lo` does not reach other workers"
        severity = warning if variable == GLOO else error  # a job may use NCCL alone
        help_ = "remove it: the pod's interface is detected"
    elif all(name == "lo" or name.startswith("docker") for name in names):
        message = f"{interface} {'reaches' if is_single else 'reach'} only pods on the same node"
        help_ = "remove it, or exclude it with a leading `^`" if variable == NCCL else "remove it"
    elif all(re.fullmatch(OF_HOSTS, name) for name in names) and not _has_more_interfaces(context):
        message = f"{interface} {'exists' if is_single else 'exist'} only on the node, not in its pods, which have eth0"
        help_ = ("remove it", Message("set `{network.hostNetwork: true}`"))
    elif all(re.fullmatch(OF_NETWORKS, name) for name in names) and not _has_more_interfaces(context):
        message = f"{interface} {'does' if is_single else 'do'} not exist in the pods, which have only eth0"
        attach = Message("attach the network by `{network.fabric}` and `{network.networks}`")
        if _attaches_networks(context):
            attach = Message("attach the network by `{network.networks}`")
        help_ = ("remove it", attach)
    else:
        return
    yield severity(codes.UNUSABLE_INTERFACE, message, where, help=help_, remedy=remedy)


def _attaches_networks(context: RuleContext) -> bool:
    """Return whether the job has a fabric to which `network.networks` adds."""
    network = context.spec.network
    fabric = network.fabric if network is not None else None
    return bool(fabric) and fabric != NONE and load(str(fabric)).networks is not None


def _has_more_interfaces(context: RuleContext) -> bool:
    """Return whether pods have those of the node, or more by a resource claim or an annotation (Multus and similar)."""
    annotations = inside(inside(context.pod.template, "metadata"), "annotations").entries
    if scalar_text(context.pod.spec.get("hostNetwork")) == "true" or "resourceClaims" in context.pod.spec.entries:
        return True
    # k8s.v1.cni.cncf.io/networks, networking.gke.io/interfaces, v1.multus-cni.io/default-network
    return any("network" in name for name in annotations)
