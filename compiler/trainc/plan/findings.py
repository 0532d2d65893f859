"""Findings: faults of the manifests that keep the job from working as it seems to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from trainc.diagnostics.finding import Finding
from trainc.plan.fields import Object, identity, items, number, text
from trainc.plan.models import controller_traits
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import ReplicaRange, autoscalers
from trainc.plan.quantity import plural
from trainc.plan.rendezvous import check_hostfile, check_pod_names, check_rendezvous
from trainc.plan.world import Worker, count_pods

# Fields of the launch that all workers must agree on.
_SHARED: tuple[tuple[str, Callable[[Worker], object]], ...] = (
    ("launcher", lambda worker: worker.launch.launcher),
    ("number of nodes", lambda worker: ":".join(str(bound) for bound in dict.fromkeys(worker.launch.nodes or ()))),
    ("world size", lambda worker: worker.launch.world),
    ("rendezvous backend", lambda worker: worker.launch.backend),
    ("rendezvous id", lambda worker: worker.launch.id),
    ("rendezvous endpoint", lambda worker: f"{worker.launch.rendezvous_host}:{worker.launch.port}"),
    # A hostfile may have other slots for each host, or more than there are processes.
    ("number of processes", lambda worker: None if worker.launch.slots else worker.launch.processes),
)


def findings(
    workers: Sequence[Worker], names: NameResolver, size: ReplicaRange, objects: list[Object], waits: bool
) -> list[Finding]:
    """Return all faults, each once. `waits` if the pods wait for the program to be started by hand."""
    traits = controller_traits(objects)
    names_help = traits.pod_names_help if traits else ""
    checks = (
        _containers(workers),
        _disagreements(workers),
        () if waits else _node_count(workers, size),
        _gpus(workers),
        _ranks(workers),
        check_rendezvous(workers, names, names_help),
        check_pod_names(workers, names, names_help),
        check_hostfile(workers, names),
        _selectors(names),
        _autoscalers(objects, workers),
        _mounts(workers),
    )
    return list(dict.fromkeys(chain.from_iterable(checks)))


def _containers(workers: Sequence[Worker]) -> Iterator[Finding]:
    """Report errors of launchers and of the kubelet, each at the first worker that has it."""
    seen: set[str] = set()
    for worker in workers:
        empty = [
            Finding(message=f"`{each.name}` is empty: the pod has no such label or annotation", about=(each.name,))
            for each in worker.container.env
            if each.source == "downward API" and not each.value
        ]
        for fault in (*worker.launch.errors, *worker.container.errors, *empty):
            if fault.message not in seen:
                seen.add(fault.message)
                yield fault.replace(where=worker.pod.hostname)


def _disagreements(workers: Sequence[Worker]) -> Iterator[Finding]:
    for field, get in _SHARED:
        for worker in workers[1:]:
            own, first = get(worker), get(workers[0])
            if own != first:
                values = [f"`{value}`" if value else "not set" for value in (own, first)]
                message = f"{field} is {values[0]}, but {values[1]} on {workers[0].pod.hostname}"
                about = tuple(str(value) for value in (own, first) if value)
                yield worker.finding(message, help="set the same on all workers", about=about)
                break


def _node_count(workers: Sequence[Worker], size: ReplicaRange) -> Iterator[Finding]:
    launch, pods = workers[0].launch if workers else None, size.maximum
    if launch is None or launch.nodes is None or not launch.has_launcher or not pods:
        return
    (low, high), message, verb = launch.nodes, "", "is" if pods == 1 else "are"
    help_ = f"set the number of nodes to {pods}"
    if launch.is_standalone and pods > 1:
        if "nnodes" not in launch.options and workers[0].container.env_from:  # which may have its variable
            return
        message = f"each of the {pods} pods trains alone in a world of its own"
        if launch.port and launch.rendezvous == "peer":  # of a rendezvous endpoint, which `--standalone` doesn't have
            verb = "waits for the others" if low > 1 else "trains alone"
            message = f"each of the {pods} pods {verb} at its own `localhost`: no other rendezvous endpoint is set"
            help_ = "set the rendezvous endpoint to the host of one pod, as by --rdzv_endpoint=HOST:29400"
    elif pods < low:
        message = f"the launcher waits for {low} nodes, but there {verb} only {plural(pods, 'pod')}"
        if not launch.options:  # the number is WORLD_SIZE, for which operators count the processes of each pod
            message = f"the program waits for a world of {low} processes, but there {verb} only {plural(pods, 'pod')}"
            help_ = "start a process for each rank, as torchrun does"
    elif pods > high:
        message = f"the launcher is limited to {plural(high, 'node')}, but there are {pods} pods"
    if message:
        yield Finding(where=workers[0].pod.owner or "pods", message=message, help=help_)


def _gpus(workers: Sequence[Worker]) -> Iterator[Finding]:
    for worker in workers:
        gpus, launch = int(worker.usage.gpus), worker.launch
        if launch.has_launcher and launch.needs_gpu_per_process and 0 < gpus < (launch.processes or 0):
            yield worker.finding(f"{launch.processes} processes share {gpus} GPUs")
            return


def _ranks(workers: Sequence[Worker]) -> Iterator[Finding]:
    """Check that static ranks count from 0 without gaps and follow the order of the workers."""
    launch = workers[0].launch if workers else None
    if launch is None or not launch.has_launcher or launch.rendezvous != "static" or "node_rank" in launch.unknown:
        return
    if launch.is_standalone:  # each pod has a world of its own
        return
    by_rank: dict[int, Worker] = {}
    count = count_pods(workers)
    for worker in workers:
        rank = worker.node_rank
        if rank is None:
            help_ = f"set the node rank of each pod, from 0 to {count - 1}"
            yield worker.finding("rank is not set, or not a number", help=help_)
        elif rank in by_rank:
            yield worker.finding(f"rank {rank} is already that of {by_rank[rank].pod.hostname}")
        elif rank >= count:
            yield worker.finding(f"rank is {rank}, but there are only {count} pods")
        else:
            by_rank[rank] = worker
    moved = next((worker for worker in workers if worker.node_rank not in (None, worker.pod.index)), None)
    if moved is not None and len(by_rank) == len(workers):
        message = f"worker {moved.pod.index} has rank {moved.node_rank}: ranks do not follow the order of the workers"
        yield moved.finding(message, is_harmless=True)


def _selectors(names: NameResolver) -> Iterator[Finding]:
    for service in names.services:
        where = f"Service/{service.name}"
        if not service.pods and names.pods:
            yield Finding(where=where, message="selects no pod")
        elif service.pods and service.states_namespace != bool(names.pods[service.pods[0]].namespace):
            stray, others = ("the pods", "the Service is") if service.states_namespace else ("it", "the pods are")
            message = f"`kubectl apply` puts {stray} into the current namespace, but {others} in `{service.namespace}`"
            help_ = f"set `namespace: {service.namespace}` in all objects, or apply with -n {service.namespace}"
            yield Finding(where=where, message=message, help=help_)


def _autoscalers(objects: list[Object], workers: Sequence[Worker]) -> Iterator[Finding]:
    known = set(map(identity, objects))
    nodes = workers[0].launch.nodes if workers else None
    for each, target in autoscalers(objects):
        where = "/".join(identity(each))
        if target not in known:
            yield Finding(where=where, message=f"scales `{'/'.join(target)}`, which does not exist")
        low = number(each, "spec", "minReplicas") or 1
        if nodes and low < nodes[0]:
            message = f"may scale down to {plural(low, 'pod')}, but the launcher needs {nodes[0]} nodes"
            yield Finding(where=where, message=message)


def _mounts(workers: Sequence[Worker]) -> Iterator[Finding]:
    seen = set()
    for worker in workers:
        for volume in worker.usage.volumes:
            if volume.kind == "undefined" and volume.name not in seen:
                seen.add(volume.name)
                yield worker.finding(f"volume `{volume.name}` is mounted but not defined")
    for worker in workers[:1]:
        volumes = [text(volume, "name") for volume in items(worker.pod.spec, "volumes")]
        if len(volumes) != len(set(volumes)):
            yield worker.finding("two volumes have the same name")
