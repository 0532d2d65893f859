"""Checks of the rendezvous: exactly one worker hosts it, and all others can reach it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trainc.diagnostics import codes
from trainc.diagnostics.finding import Finding
from trainc.plan.fields import items, mapping, text
from trainc.plan.name_resolver import NameResolver, Resolution
from trainc.plan.quantity import plural
from trainc.plan.world import Worker

_HOST = codes.UNHOSTED_ENDPOINT


def check_rendezvous(workers: Sequence[Worker], names: NameResolver, names_help: str = "") -> Iterator[Finding]:
    """Check that the endpoint resolves to rank 0, or to the worker that becomes the host of c10d's store.

    `names_help` is how the controller of the pods gives them names.
    """
    launch = workers[0].launch if workers else None
    if launch is None or not launch.joins or launch.rendezvous in ("external", "unknown") or len(workers) < 2:
        return
    if not {"master_addr", "rdzv_endpoint"}.isdisjoint(launch.unknown):
        return
    host = launch.rendezvous_host
    resolved = {worker.position: names.lookup(worker.launch.rendezvous_host, worker.position) for worker in workers}
    unnamed = names_help if not text(workers[0].pod.spec, "hostname") else ""
    lost = next((worker for worker in workers if resolved[worker.position].kind == "unresolved"), None)
    if lost is not None:
        message = f"no Service resolves `{lost.launch.rendezvous_host}`: the worker can't reach the others"
        help_ = unnamed or "write the name as HOSTNAME.SERVICE, with a headless Service"
        if _lacks_index(lost, lost.launch.rendezvous_host):
            help_ = "set `completionMode: Indexed`: other pods of a Job have random names"
        yield lost.finding(message, help=help_, about=(lost.launch.rendezvous_host,), code=_HOST)
    elif all(each.kind in ("external", "address") for each in resolved.values()):
        message = f"`{host}` is no worker of these manifests, but a worker must host the rendezvous"
        help_ = unnamed or "check the job and its headless Service together, or correct the host"
        yield Finding(where=host, message=message, help=help_, about=(host,), code=_HOST)
    else:
        yield from _host(workers, names, resolved)
        yield from _service(workers, resolved)


def _lacks_index(worker: Worker, host: str) -> bool:
    """Return whether a host is a pod of the worker's Job by a number, which its pods don't have.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
    """
    job = worker.pod.job
    is_numbered = re.fullmatch(rf"{re.escape(job)}-[0-9]+", host.partition(".")[0]) is not None
    return bool(job) and is_numbered and re.fullmatch(rf"{re.escape(job)}-[0-9]+", worker.pod.hostname) is None


def _host(workers: Sequence[Worker], names: NameResolver, resolved: dict[int, Resolution]) -> Iterator[Finding]:
    launch, host = workers[0].launch, workers[0].launch.rendezvous_host
    targets = {pod for each in resolved.values() if each.kind in ("service", "pod") for pod in each.pods}
    empty = next((worker for worker in workers if not resolved[worker.position].pods), None)
    leaders = {worker.position for worker in workers if worker.node_rank == 0}
    if empty is not None:
        yield empty.finding(f"`{host}` resolves to no pod", about=(host,), code=_HOST)
    elif launch.rendezvous == "peer":
        yield from _store_host(workers, names, host, targets)
    elif len(leaders) == 1 and targets and targets != leaders:
        leader = names.pods[next(iter(leaders))].hostname
        others = sorted(names.pods[position].hostname for position in targets - leaders)
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        message = f"resolves to {', '.join(others[:3])}{more}, but {leader} has rank 0 and listens"
        yield Finding(where=host, message=message)
    elif not targets and len({resolved[worker.position].pods for worker in workers}) > 1:
        yield Finding(where=host, message="resolves to each pod itself")


def _store_host(workers: Sequence[Worker], names: NameResolver, host: str, targets: set[int]) -> Iterator[Finding]:
    """Check that exactly one agent recognizes the host as itself, which makes it the host of the store."""
    hosts = {each.position for each in workers if each.launch.is_host or names.is_own_name(each.position, host)}
    if len(targets - hosts) and len(targets) > 1:
        message = f"resolves to {len(targets)} pods: each may become the host, and trains in a world of its own"
        yield Finding(where=host, message=message)
    elif hosts and targets and targets != hosts:
        yield Finding(where=host, message="resolves to another pod than the one that has this name")
    if len(hosts) > 1:
        yield Finding(where=host, message=f"{len(hosts)} pods become the host of the rendezvous")


def _service(workers: Sequence[Worker], resolved: dict[int, Resolution]) -> Iterator[Finding]:
    port = workers[0].launch.port
    services = {each.service.name: each.service for each in resolved.values() if each.service}
    for service in services.values():
        # A headless Service's names resolve to the pods, whose ports it does not limit, with any port or none:
        # https://kubernetes.io/docs/concepts/services-networking/service/#headless-services and https://github.com/
        # coredns/coredns/blob/master/plugin/kubernetes/object/endpoint.go, EndpointSliceToEndpoints
        if port and not service.headless and port not in [number for _, number in service.ports]:
            ports = ", ".join(f"`{number}`" for _, number in service.ports) or "no port"
            message = f"the rendezvous is at port `{port}`, but the Service has {ports}"
            help_ = f"add port {port} to the Service"
            yield Finding(where=f"Service/{service.name}", message=message, help=help_)
        selected = set(service.pods)
        waits = any(_has_own_readiness(worker) for worker in workers if worker.position in selected)
        if not service.publishes_not_ready and (waits or not service.is_owned):
            message = "resolves only ready pods: worker 0 may not be ready when the other workers look it up"
            help_ = "set `publishNotReadyAddresses: true`"
            yield Finding(where=f"Service/{service.name}", message=message, help=help_)


def _has_own_readiness(worker: Worker) -> bool:
    """Return whether a pod becomes ready only when its program answers, not when its containers run or listen.

    https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions
    """
    containers = items(worker.pod.spec, "containers")
    probes = [mapping(each, field) for each in containers for field in ("readinessProbe", "startupProbe")]
    answers = any(kind in probe for probe in probes for kind in ("exec", "httpGet", "grpc"))
    return answers or bool(items(worker.pod.spec, "readinessGates"))


def check_pod_names(workers: Sequence[Worker], names: NameResolver, names_help: str = "") -> Iterator[Finding]:
    """Check that each worker has a DNS name, because whichever becomes rank 0 announces its own full name.

    `names_help` is how the controller of the pods gives them names.
    """
    if len(workers) < 2 or workers[0].launch.rendezvous == "static":
        return
    for worker in workers:
        pod = worker.pod
        # Without a subdomain the full name is the hostname, for which an operator creates a Service.
        other = workers[worker.position == workers[0].position].position
        alone = not pod.subdomain and names.lookup(pod.hostname, other).pods == (worker.position,)
        if not alone and not names.governing_service(worker.position) and not pod.spec.get("hostNetwork"):
            reason, help_ = "it has no subdomain", "set `subdomain` to the name of a headless Service"
            if names_help and not text(pod.spec, "hostname"):
                reason = "it has no hostname" if pod.subdomain else "it has no hostname and no subdomain"
                help_ = names_help
            elif pod.subdomain and not text(pod.spec, "hostname"):
                reason = "it has no hostname"
                help_ = f"set `hostname: {pod.name}`" if not pod.owner else "set a hostname of its own for each pod"
                help_ = "set `completionMode: Indexed`" if pod.job else help_
            elif pod.subdomain:
                reason, help_ = (
                    f"no headless Service `{pod.subdomain}` selects it",
                    "create it, or correct its selector",
                )
            yield worker.finding(f"the pod has no DNS name: {reason}", help=help_)
            return


def check_hostfile(workers: Sequence[Worker], names: NameResolver) -> Iterator[Finding]:
    """Check that the hosts of the hostfile are the workers in the order of their ranks."""
    positions = names.by_namespace(each.position for each in workers)
    for worker in workers:
        slots, rank = worker.launch.slots, worker.node_rank
        if not slots or rank is None:
            continue
        if rank >= len(slots):
            yield worker.finding(f"rank is {rank}, but the host list has {plural(len(slots), 'host')}")
            continue
        host = slots[rank][0]
        resolved = names.lookup(host, worker.position)
        if worker.launch.uses_ssh and any(names.is_unresolved(host, each) for each in positions):
            yield Finding(where=host, message="no Service resolves this host of the hostfile")
        elif resolved.pods and worker.position not in resolved.pods:
            yield worker.finding(f"has rank {rank}, which the host list assigns to `{host}`", about=(host,))
