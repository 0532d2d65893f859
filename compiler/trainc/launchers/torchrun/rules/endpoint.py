"""Rendezvous endpoint that no worker, or every worker, hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.endpoint import host_and_port
from trainc.launchers.ports import ETCD_PORT
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.rendezvous.endpoint",)

LOOPBACK = r"localhost|127\..*|\[?::1\]?"


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The worker that recognizes the endpoint as its own hosts c10d's store; worker 0 hosts static's.

    docs/adr/0004-rendezvous-name.md lists which names a worker recognises.
    """
    launch = context.spec.launch
    if not isinstance(launch, Torchrun) or context.job.headless_service is None or launch.rendezvous.endpoint is None:
        return
    backend, where = context.job.launch.rendezvous.backend, launch.rendezvous.where("endpoint")
    if backend not in ("c10d", "static"):
        return
    hosts = context.job.hosts
    below = r"(\.|$)" if hosts.domain else "$"  # an operator's pods have no longer names
    name, (host, port) = context.job.name, host_and_port(launch.rendezvous.endpoint, 0)
    has_backend = launch.rendezvous.gives("backend")
    related = [Related(span=launch.rendezvous.where("backend"), message="the backend")] if has_backend else []
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
