"""Contradictions in torchrun's rendezvous, and options that cannot be passed."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.launchers.torchrun.spec import Rendezvous, Torchrun

TRIGGERS = ("launch.torchrun.standalone", "launch.torchrun.rendezvous", "launch.torchrun.wrap")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Check standalone, etcd, the port, and options without an environment variable."""
    launch = context.spec.launch
    if not isinstance(launch, Torchrun):
        return
    if launch.standalone and context.job.replicas.maximum > 1:
        field = "elastic" if context.spec.elastic else "workers"
        other = Related(span=context.spec.where(field), message="conflicts with this")
        message = f"`standalone` supports 1 worker: each of the {context.job.replicas.maximum} connects only to itself"
        yield error(codes.STANDALONE_CONFLICT, message, launch.where("standalone"), related=[other])
    if launch.standalone and launch.gives("rendezvous"):
        other = Related(span=launch.where("rendezvous"), message="ignored")
        message = "`standalone` conflicts with `rendezvous`, which torchrun ignores"
        yield error(codes.STANDALONE_CONFLICT, message, launch.where("standalone"), related=[other])
    backend = launch.rendezvous.backend
    if launch.rendezvous.managed:
        yield from _managed(launch.rendezvous)
    elif backend in ("etcd", "etcd-v2") and launch.rendezvous.endpoint is None:
        message = f"rendezvous backend `{backend}` requires a server"
        where = launch.rendezvous.where("backend")
        yield error(codes.ETCD_WITHOUT_ENDPOINT, message, where, help="set rendezvous.endpoint, or `managed: true`")
    endpoint = launch.rendezvous.endpoint or ""
    if launch.rendezvous.port and endpoint.rpartition(":")[2].isdecimal():
        other = Related(span=launch.rendezvous.where("endpoint"), message="has a port")
        message = "`rendezvous.port` is ignored: the endpoint has a port"
        where = launch.rendezvous.where("port")
        yield error(codes.DUPLICATE_PORT, message, where, help="remove one of them", related=[other])
    for field in ("numaBinding", "logsSpecs"):
        if launch.gives(field) and not launch.wrap:
            other = Related(span=launch.where("wrap"), message="the program starts torchrun")
            message = f"`{field}` has no environment variable, and with `wrap: false` trainc passes no arguments"
            yield error(codes.OPTION_NOT_PASSED, message, launch.where(field), related=[other])


def _managed(rendezvous: Rendezvous) -> Iterator[Diagnostic]:
    """Yield an error for a managed etcd server that the workers do not use."""
    if rendezvous.backend not in ("etcd", "etcd-v2"):
        field = "backend" if rendezvous.gives("backend") else "managed"
        message = f"rendezvous backend `{rendezvous.backend or 'c10d'}` does not use an etcd server"
        yield error(codes.UNUSED_MANAGED_ETCD, message, rendezvous.where(field), help="use `backend: etcd-v2`")
    elif rendezvous.endpoint:
        other = Related(span=rendezvous.where("managed"), message="conflicts with this")
        message = "the workers use this server instead of the managed one"
        where = rendezvous.where("endpoint")
        yield error(codes.UNUSED_MANAGED_ETCD, message, where, help="remove one of them", related=[other])
