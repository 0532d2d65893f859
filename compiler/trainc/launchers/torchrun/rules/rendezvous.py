"""torchrun's rendezvous: standalone with peers, a server that nobody named, flags that reach nobody."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error
from trainc.launchers.torchrun.spec import Rendezvous, Torchrun

TRIGGERS = ("launch.torchrun",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """What torchrun would wait for in vain."""
    launch = context.spec.launch
    if not isinstance(launch, Torchrun):
        return
    if launch.standalone and context.job.replicas.maximum > 1:
        field = "elastic" if context.spec.elastic else "workers"
        other = Related(span=context.spec.where(field), message="conflicts with this")
        message = f"standalone is for one worker; each of {context.job.replicas.maximum} would meet nobody but itself"
        yield error(codes.STANDALONE_CONFLICT, message, launch.where("standalone"), related=[other])
    if launch.standalone and launch.gives("rendezvous"):
        other = Related(span=launch.where("rendezvous"), message="this would be ignored")
        message = "standalone is its own rendezvous"
        yield error(codes.STANDALONE_CONFLICT, message, launch.where("standalone"), related=[other])
    backend = launch.rendezvous.backend
    if launch.rendezvous.managed:
        yield from _managed(launch.rendezvous)
    elif backend in ("etcd", "etcd-v2") and launch.rendezvous.endpoint is None:
        message = f"the {backend} rendezvous needs the address of a server"
        where = launch.rendezvous.where("backend")
        yield error(codes.ETCD_WITHOUT_ENDPOINT, message, where, help="give rendezvous.endpoint, or managed: true")
    endpoint = launch.rendezvous.endpoint or ""
    if launch.rendezvous.port and endpoint.rpartition(":")[2].isdecimal():
        other = Related(span=launch.rendezvous.where("endpoint"), message="this has a port already")
        message = "rendezvous.port would be ignored"
        yield error(codes.DUPLICATE_PORT, message, launch.rendezvous.where("port"), related=[other])
    for field in ("numaBinding", "logsSpecs"):
        if launch.gives(field) and not launch.wrap:
            other = Related(span=launch.where("wrap"), message="the program calls torchrun itself")
            message = f"{field} is an argument of torchrun, which trainc does not write here"
            yield error(codes.OPTION_NOT_PASSED, message, launch.where(field), related=[other])


def _managed(rendezvous: Rendezvous) -> Iterator[Diagnostic]:
    """An etcd that nobody would ask."""
    if rendezvous.backend not in ("etcd", "etcd-v2"):
        field = "backend" if rendezvous.gives("backend") else "managed"
        message = f"the rendezvous {rendezvous.backend or 'c10d'} does not use an etcd server"
        yield error(codes.UNUSED_MANAGED_ETCD, message, rendezvous.where(field), help="use the backend etcd-v2")
    elif rendezvous.endpoint:
        other = Related(span=rendezvous.where("managed"), message="conflicts with this")
        message = "the workers would meet at this server and not at the one that is made"
        yield error(codes.UNUSED_MANAGED_ETCD, message, rendezvous.where("endpoint"), related=[other])
