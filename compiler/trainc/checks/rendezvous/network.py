"""RDMA devices asked for in two places, and a rendezvous that goes by hostnames where these are the nodes'."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.torchrun.spec import Torchrun
from trainc.lower.rendezvous import rendezvous_backend
from trainc.span import span_of
from trainc.spec.network import Network

TRIGGERS = ("network",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """By field of the section."""
    network = context.spec.network
    if network is None:
        return
    resources, rdma = context.spec.resources, network.rdma
    for place in (resources.both, resources.requests, resources.limits):
        if rdma is not None and rdma.resource in place:
            message = f"{rdma.resource} is given by `network.rdma` and once more by name"
            other = Related(span=rdma.where("resource"), message="first given here")
            where = span_of(place[rdma.resource]) or resources.where()
            yield error(codes.DUPLICATE_RDMA, message, where, help="leave one of them out", related=[other])
    if network.host_network:
        yield from _meeting(context, network)


def _meeting(context: RuleContext, network: Network) -> Iterator[Diagnostic]:
    """docs/adr/0004-rendezvous-name.md lists by what worker 0 recognises the endpoint."""
    launch = context.spec.launch
    if (
        context.job.headless_service is None
        or not isinstance(launch, Torchrun)
        or rendezvous_backend(context.spec, launch) != "c10d"
    ):
        return
    reason = "elastic" if context.spec.elastic else "maxRestarts" if launch.max_restarts else None
    message = "pods on the host's network have their nodes' hostnames: c10d's worker 0 knows its endpoint only by DNS"
    help_ = "use the rendezvous backend etcd-v2"
    help_ += f", or static without {reason}" if reason else " or static"
    yield warning(codes.HOST_NETWORK_RENDEZVOUS, message, network.where("hostNetwork"), help=help_)
