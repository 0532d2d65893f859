"""Endpoints of torchrun's rendezvous that no worker or every worker hosts."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostic, Diagnostics, Help, Message, RuleContext, codes, error, put, remove, replace
from trainc.ir.job import Job
from trainc.launchers.ports import ETCD_PORT, host_and_port
from trainc.launchers.torchrun.options import BACKENDS, ETCD
from trainc.launchers.torchrun.spec import Torchrun
from trainc.span import Span

TRIGGERS = ("launch.torchrun.rendezvous.endpoint",)

LOOPBACK = re.compile(r"localhost|127\..*|\[?::1\]?")
# Host name of a pod, or of a Service for one pod.
POD = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?-[0-9]+")
SERVER = (
    Message("set {launch.torchrun/rendezvous.endpoint} to an etcd server"),
    Message("set `{launch.torchrun/rendezvous.managed: true}`"),
)


def check(context: RuleContext) -> Diagnostics:
    """Check the endpoint of several workers.

    The worker that recognizes the endpoint as its own hosts c10d's store; worker 0 hosts static's. How a plug-in uses
    the endpoint is unknown.

    docs/adr/0004-rendezvous-name.md lists which names a worker recognizes.
    """
    endpoint, backend = Torchrun.of(context.spec).rendezvous.endpoint, context.job.launch.rendezvous.backend
    if endpoint is None or context.job.replicas.maximum == 1 or backend not in BACKENDS:
        return
    host, port = host_and_port(endpoint, 0)
    if backend in ETCD:
        yield from _of_etcd(context, host)
    elif LOOPBACK.fullmatch(host):
        yield _unhosted(context, f"every worker connects to itself at `{host}`")
    elif port == ETCD_PORT or re.search(r"\betcd\b", host) or any(server.serves(host) for server in context.servers):
        message = f"rendezvous backend `{backend}` does not use the etcd server `{host}`"
        section = Torchrun.of(context.spec).rendezvous
        field = section.span_of("backend")
        remedy = replace(field, "etcd-v2") if field else put("spec.launch.torchrun.rendezvous.backend", "etcd-v2")
        yield _unhosted(context, message, help="use the backend etcd-v2").replace(remedy=remedy)
    else:
        yield from _of_worker(context, host)


def _of_etcd(context: RuleContext, host: str) -> Diagnostics:
    """Require another host than the workers, unless each may have an etcd server at its side."""
    job = context.job
    if LOOPBACK.fullmatch(host):
        if not job.pod.host_network and not context.pod.sidecars:
            message = f"every worker connects to an etcd server of its own at `{host}`, where none runs"
            yield _unhosted(context, message, help=SERVER)
    elif host in _worker_names(job) or re.fullmatch(rf"{re.escape(job.name)}-(worker|master)-[0-9]+", host):
        yield _unhosted(context, f"`{host}` is a worker of this job, which runs no etcd server", help=SERVER)


def _of_worker(context: RuleContext, host: str) -> Diagnostics:
    """Require a worker of this job, by a name that it recognizes as its own."""
    job, name = context.job, context.job.name
    backend, hosts = job.launch.rendezvous.backend, job.hosts
    first, dot, domain = host.partition(".")
    is_own = first in _worker_names(job) and (not dot or bool(hosts.domain))  # an operator's pods have no longer names
    if is_own:
        return
    if POD.fullmatch(first) and (not dot or (hosts.domain and domain.split(".")[0] == name)):
        message = f"no worker of this job is named `{host}`: the last one is `{hosts.name(job.replicas.maximum - 1)}`"
        yield _unhosted(context, message)
    elif backend != "c10d" or job.pod.host_network or "is_host" in job.launch.rendezvous.conf:
        return  # pods have their nodes' names, or the user sets the host
    elif hosts.domain and first == name:
        message = f"every worker recognizes `{host}`, which selects all workers, as itself, and hosts its own world"
        yield _unhosted(context, message)
    else:
        message = f"no worker of this job is named `{host}`, so none hosts the c10d store"
        unhosted = _unhosted(context, message)
        # An argument overrides the variable that trainc has set to worker 0; all Services are in the manifest.
        overrides = context.is_own and not context.system.operator and _is_argument(unhosted.span)
        yield unhosted if overrides else unhosted.replace(severity="warning")


def _is_argument(where: Span) -> bool:
    """Return whether a value is an argument of a command line in a manifest, rather than that of a field."""
    return re.search(r"\w:\s*[\"']?$", where.source.line(where.line)[: where.column - 1]) is None


def _worker_names(job: Job) -> set[str]:
    return set(job.hosts.first_names(job.replicas.maximum))


def _unhosted(context: RuleContext, message: str, help: Help | None = None) -> Diagnostic:
    """Return the error about an endpoint; without a help, the cure is worker 0."""
    rendezvous = Torchrun.of(context.spec).rendezvous
    related, where = [(rendezvous.span_of("backend"), "the backend")], rendezvous.where("endpoint")
    sets_default = context.system.operator and not context.has_own_hosts
    remedy = None
    if help is None and context.in_own_system and not sets_default:
        help = f"set it to worker 0, `{context.job.hosts.resolvable(0)}`"
    elif help is None:
        help, remedy = "remove it: the default is worker 0", remove(where)
    return error(codes.UNHOSTED_ENDPOINT, message, where, help=help, related=related, remedy=remedy)
