"""Workers on the host network: ports of nodes, and c10d."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, warning

TRIGGERS = ("network.hostNetwork",)

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


def check(context: RuleContext) -> Diagnostics:
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
