"""Duplicate RDMA devices, and a c10d rendezvous on the host network."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning
from trainc.span import span_of
from trainc.spec.network import Network

TRIGGERS = ("network",)


def check(context: RuleContext) -> Diagnostics:
    """Check `network.rdma` and `network.hostNetwork`."""
    network = context.spec.network
    if network is None:
        return
    resources, rdma = context.spec.resources, network.rdma
    for place in (resources.both, resources.requests, resources.limits):
        if rdma is not None and rdma.resource in place:
            message = f"`{rdma.resource}` is requested by `network.rdma` and again by name"
            other = Related(span=rdma.where("resource"), message="first request")
            where = span_of(place[rdma.resource]) or resources.where()
            yield error(codes.DUPLICATE_RDMA, message, where, help="remove one of them", related=[other])
    if network.host_network:
        yield from _meeting(context, network)


def _meeting(context: RuleContext, network: Network) -> Diagnostics:
    """docs/adr/0004-rendezvous-name.md explains how worker 0 recognizes the endpoint."""
    launch = context.job.launch
    if context.job.headless_service is None or launch.rendezvous.backend != "c10d":
        return
    reason = "elastic" if context.spec.elastic else "maxRestarts" if launch.max_restarts else None
    message = "with `hostNetwork` pods have their nodes' hostnames: c10d recognizes worker 0 only if DNS is in time"
    help_ = "use the rendezvous backend etcd-v2"
    help_ += f", or static without {reason}" if reason else " or static"
    yield warning(codes.HOST_NETWORK_RENDEZVOUS, message, network.where("hostNetwork"), help=help_)
