"""Contradictions in torchrun's rendezvous, endpoints that no worker or every worker hosts, and options not passed."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.launchers.ports import ETCD_PORT, host_and_port
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.standalone", "launch.torchrun.rendezvous", "launch.torchrun.wrap")

LOOPBACK = r"localhost|127\..*|\[?::1\]?"


def check(context: RuleContext) -> Diagnostics:
    """Check standalone, the endpoint and its port, and options without an environment variable."""
    launch = Torchrun.of(context.spec)
    if launch.standalone and context.job.replicas.maximum > 1:
        field = "elastic" if context.spec.elastic else "workers"
        other = (context.spec.where(field), "conflicts with this")
        message = f"`standalone` supports 1 worker: each of the {context.job.replicas.maximum} connects only to itself"
        yield error(codes.STANDALONE_CONFLICT, message, launch.where("standalone"), related=[other])
    if launch.standalone and launch.has("rendezvous"):
        other = (launch.where("rendezvous"), "ignored")
        message = "`standalone` conflicts with `rendezvous`, which torchrun ignores"
        yield error(codes.STANDALONE_CONFLICT, message, launch.where("standalone"), related=[other])
    endpoint, rendezvous = launch.rendezvous.endpoint, launch.rendezvous
    if rendezvous.port and endpoint and endpoint.rpartition(":")[2].isdecimal():
        other = (rendezvous.where("endpoint"), "has a port")
        message, where = "`rendezvous.port` is ignored: the endpoint has a port", rendezvous.where("port")
        yield error(codes.DUPLICATE_PORT, message, where, help="remove one of them", related=[other])
    for field in ("numaBinding", "logsSpecs"):
        if launch.has(field) and not launch.wraps_program:
            other = (launch.where("wrap"), "the program starts torchrun")
            message = f"`{field}` has no environment variable, and with `wrap: false` trainc passes no arguments"
            yield error(codes.OPTION_NOT_PASSED, message, launch.where(field), related=[other])
    if endpoint is not None and context.job.headless_service is not None:
        yield from _unhosted_endpoint(context, launch, endpoint)


def _unhosted_endpoint(context: RuleContext, launch: Torchrun, endpoint: str) -> Diagnostics:
    """Report an endpoint without a host.

    The worker that recognizes the endpoint as its own hosts c10d's store; worker 0 hosts static's.

    docs/adr/0004-rendezvous-name.md lists which names a worker recognizes.
    """
    backend, where = context.job.launch.rendezvous.backend, launch.rendezvous.where("endpoint")
    if backend not in ("c10d", "static"):
        return
    hosts = context.job.hosts
    below = r"(\.|$)" if hosts.domain else "$"  # an operator's pods have no longer names
    name, (host, port) = context.job.name, host_and_port(endpoint, 0)
    related = [(launch.rendezvous.span_of("backend"), "the backend")]
    default = "remove it: the default is worker 0"
    if re.fullmatch(LOOPBACK, host):
        message = f"every worker connects to itself at `{host}`"
        yield error(codes.UNHOSTED_ENDPOINT, message, where, help=default, related=related)
    elif port == ETCD_PORT or re.search(r"\betcd\b", host):
        message = f"rendezvous backend `{backend}` does not use the etcd server `{host}`"
        yield error(codes.UNHOSTED_ENDPOINT, message, where, help="use the backend etcd-v2", related=related)
    elif context.job.pod.host_network or backend != "c10d" or "is_host" in launch.rendezvous.conf:
        return  # pods have their nodes' names, or the user sets the host
    elif hosts.domain and (host == name or host.startswith(f"{name}.")):
        message = f"every worker recognizes `{host}`, which selects all workers, as itself, and hosts its own world"
        yield error(codes.UNHOSTED_ENDPOINT, message, where, help=default, related=related)
    elif not re.match(rf"({re.escape(hosts.first)}|{re.escape(hosts.stem)}-\d+){below}", host):
        message = f"no worker of this job is named `{host}`, so none hosts the c10d store"
        yield warning(codes.UNHOSTED_ENDPOINT, message, where, help=default, related=related)
