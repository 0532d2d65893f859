"""Ports that a node already uses, for workers on the host network."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, warning
from trainc.span import Span

TRIGGERS = ("network.hostNetwork",)

# https://kubernetes.io/docs/reference/networking/ports-and-protocols/, and sshd.
TAKEN = {
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


def check(context: RuleContext) -> Diagnostics:
    """Check every port of the job's Services."""
    network = context.spec.network
    if network is None or not network.host_network or context.job.headless_service is None:
        return
    for port in context.job.headless_service.ports:
        if port.number in TAKEN:
            other = Related(span=network.where("hostNetwork"), message="pods use the host network")
            message = f"port {port.number} is used by {TAKEN[port.number]} on many nodes: a worker cannot listen on it"
            yield warning(codes.HOST_PORT_CONFLICT, message, _where(context, port.name), related=[other])


def _where(context: RuleContext, name: str) -> Span:
    section, field = context.spec.launch.port_field(name)
    return section.where(field)
