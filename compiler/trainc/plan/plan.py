"""Plan of one job's manifests: pods, names, ranks, resources, failure cases and findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

from trainc.diagnostics import codes
from trainc.diagnostics.finding import Finding
from trainc.plan.failures import FailureCase, failure_cases, is_queued
from trainc.plan.fields import Object, identity, items, mapping, number, text
from trainc.plan.findings import findings
from trainc.plan.models import (
    OperatedResource,
    controls_workers,
    is_suspended,
    native_model,
    operated_resources,
    scale_by_hand,
    unknown_workloads,
)
from trainc.plan.name_resolver import NameResolver, Resolution, Service
from trainc.plan.pods import ReplicaRange, autoscalers, create_pods
from trainc.plan.quantity import parse_quantity
from trainc.plan.sample import EVERY_POD, Sample, UnpredictablePodsError
from trainc.plan.split_pods import Server, split_pods
from trainc.plan.usage import Volume
from trainc.plan.world import Worker, WorldSize, assign_ranks, count_pods, world_sizes
from trainc.record import Record
from trainc.systems.shared.autoscaler import can_scale
from trainc.systems.shared.model import controllers
from trainc.systems.shared.pod_counts import excess
from trainc.well_known import ADDED, DEBUG, JOB_LABEL

_UNKNOWN_KIND = "unknown kind with containers: its pods are not in the plan"


class Claim(Record):
    """PersistentVolumeClaim; `size` is None if the manifests do not create it."""

    name: str
    size: Fraction | None
    paths: tuple[str, ...]


class PlannedObject(NamedTuple):
    """Manifest, or object that the operator `created_by` creates. It represents `multiplicity` objects."""

    kind: str
    name: str
    created_by: str = ""
    multiplicity: int = 1


class NodeFit(Record):
    """Nodes of a cluster for pods of a job with equal requirements; `pods` is the name of the first.

    `least` to `most` of `count` pods get a node. `removed` are the numbers of nodes that don't meet a requirement.
    """

    cluster: str
    pods: str
    count: int
    nodes: int
    fitting: int
    least: int
    most: int
    removed: dict[str, int]
    words: str


class Plan(Record):
    """Plan of one job.

    `workers` are those that controllers create, or a sample; `rendezvous` is where the endpoint resolves for the last
    of them, None if they have no endpoint. `scale_by_hand` says how a user changes the number of workers of an elastic
    job; it is empty if an autoscaler does, or a queue keeps the number. `added_words` are trainc's own on the command
    line of the workers, `debug_command` starts the program of a job in mode debug. `config_maps` are the keys of the
    ConfigMaps by name. `unjudged` are requirements of the pods that `node_fits` leave out.
    """

    name: str
    namespace: str
    owner: str
    suspended: bool
    added_words: str
    objects: tuple[PlannedObject, ...]
    workers: tuple[Worker, ...]
    servers: tuple[Server, ...]
    services: tuple[Service, ...]
    rendezvous: Resolution | None
    world_sizes: tuple[WorldSize, ...]
    claims: tuple[Claim, ...]
    volumes: tuple[Volume, ...]
    config_maps: dict[str, tuple[str, ...]]
    findings: tuple[Finding, ...]
    failure_cases: tuple[FailureCase, ...]
    scale_by_hand: str
    debug_command: str
    node_fits: tuple[NodeFit, ...] = ()
    unjudged: tuple[str, ...] = ()

    @property
    def operators(self) -> tuple[str, ...]:
        """Operators that create objects of the job."""
        return tuple(dict.fromkeys(each.created_by for each in self.objects if each.created_by))

    def files(self, volume: Volume) -> tuple[str, ...]:
        """Return the paths in a volume of a ConfigMap that is among the manifests."""
        keys = self.config_maps.get(volume.source, ()) if volume.kind == "configMap" else ()
        return tuple(path for key, path in volume.items if key in keys) or keys

    @property
    def pod_count(self) -> int:
        """Number of workers that controllers create."""
        return count_pods(self.workers)

    @property
    def launchers(self) -> tuple[Server, ...]:
        """Pods that start the processes of all workers."""
        return tuple(server for server in self.servers if server.pod.is_launcher)

    @property
    def initial_size(self) -> WorldSize:
        """World at the start of the job."""
        return next((each for each in self.world_sizes if each.name == "initial"), self.world_sizes[-1])

    @property
    def totals(self) -> WorldSize:
        """Resources of the largest world and of the servers."""
        largest = self.world_sizes[-1] if self.world_sizes else WorldSize(name="fixed", pods=0)
        return largest.replace(
            pods=largest.pods + len(self.servers),
            cpus=sum((server.cpus for server in self.servers), largest.cpus),
            memory=sum((server.memory for server in self.servers), largest.memory),
        )


def plan(objects: list[Object], every_pod: bool = False, domain: str = "") -> Plan:
    """Plan one job's manifests, from a sample of pods unless `every_pod` is set or the sample has findings.

    `domain` is the DNS domain of the cluster, empty if it is unknown.
    """
    if not every_pod:
        with suppress(UnpredictablePodsError):
            sampled = _plan(objects, Sample(objects), domain)
            if not sampled.findings or all(worker.pod.multiplicity == 1 for worker in sampled.workers):
                return sampled
    return _plan(objects, EVERY_POD, domain)


def _plan(objects: list[Object], sample: Sample, domain: str) -> Plan:
    """Plan manifests. An object whose controller is among them is left out: the plan creates it again."""
    known = set(map(identity, objects))
    manifests = [each for each in objects if known.isdisjoint(controllers(each))]
    resources = list(operated_resources(manifests, sample))
    created = [each for resource in resources for each in resource.output.objects]
    objects = [*manifests, *created]
    pods = [pod.replace(domain=domain) for pod in create_pods(objects, sample)]
    names = NameResolver(objects, pods)
    workers, servers = split_pods(pods, names, objects)
    workers, rendezvous = assign_ranks(workers), None
    if workers and workers[0].launch.joins:
        rendezvous = names.lookup(workers[0].launch.rendezvous_host, workers[-1].position)
        if len(rendezvous.pods) == 1:
            workers = [each.replace(is_rendezvous_host=each.position in rendezvous.pods) for each in workers]
    size = _replica_range(objects, workers)
    owners = list(dict.fromkeys(worker.pod.owner for worker in workers))
    unplanned = list(_unplanned(manifests, resources, bool(workers)))
    no_replicas = size.maximum == 0 and not unplanned
    first = next(filter(controls_workers, manifests), manifests[0] if manifests else {})
    name = text(first, "metadata", "labels", JOB_LABEL) or text(first, "metadata", "name")
    launch = workers[0].launch if workers else None
    bounds = next((each.output.bounds for each in resources), None)
    is_elastic = launch is not None and (launch.is_elastic or bounds is not None)
    is_fixed = not is_elastic or size.is_scaled or any(map(is_queued, manifests))
    by_hand = "" if is_fixed else scale_by_hand(objects).replace("NAME", name)
    if by_hand and launch and launch.nodes:
        size = size.replace(maximum=max(size.maximum, launch.nodes[1]))
    debug_command = next(filter(None, (text(each, "metadata", "annotations", DEBUG) for each in manifests)), "")
    return Plan(
        name=name,
        namespace=text(first, "metadata", "namespace"),
        owner=", ".join(filter(None, owners)) or ("Pods" if workers else text(first, "kind")),
        suspended=no_replicas or any(map(is_suspended, objects)),
        added_words=next(filter(None, (text(each, "metadata", "annotations", ADDED) for each in manifests)), ""),
        debug_command=debug_command,
        objects=(*(PlannedObject(*identity(each)) for each in manifests), *map(_created_object, created)),
        workers=tuple(workers),
        servers=tuple(servers),
        services=tuple(names.services),
        rendezvous=rendezvous,
        world_sizes=tuple(world_sizes(workers, size, bounds)),
        claims=tuple(_claims(objects, workers)),
        volumes=tuple(dict.fromkeys(volume for worker in workers for volume in worker.usage.volumes)),
        config_maps={
            text(each, "metadata", "name"): tuple(sorted((*mapping(each, "data"), *mapping(each, "binaryData"))))
            for each in manifests
            if text(each, "kind") == "ConfigMap"
        },
        findings=(*unplanned, *findings(workers, names, size, objects, bool(debug_command))),
        failure_cases=tuple(failure_cases(objects, workers, resources, no_replicas)),
        scale_by_hand=by_hand,
    )


def _created_object(created: Object) -> PlannedObject:
    return PlannedObject(*identity(created), text(created, "createdBy"), number(created, "multiplicity") or 1)


def _replica_range(objects: list[Object], workers: Sequence[Worker]) -> ReplicaRange:
    initial = minimum = count_pods(worker for worker in workers if not worker.pod.on_scale_up)
    maximum = count_pods(workers)
    known = set(map(identity, objects))
    is_scaled = False
    for scaler, target in autoscalers(objects) if workers else ():
        if target in known and can_scale(items(scaler, "spec", "metrics"), workers[0].pod.spec):
            is_scaled = True
            low, high = (number(scaler, "spec", field) or 1 for field in ("minReplicas", "maxReplicas"))
            minimum = maximum - high + low
    return ReplicaRange(minimum=minimum, initial=initial, maximum=maximum, is_scaled=is_scaled)


def _unplanned(manifests: list[Object], resources: list[OperatedResource], has_workers: bool) -> Iterator[Finding]:
    """Yield what the plan lacks. Beside workers, an object of an unknown kind is probably not part of the job."""
    for resource in resources:
        where = "/".join(identity(resource.resource))
        for error in resource.output.errors:
            message = f"rejected by the operator: {error.message}"
            yield error.replace(where=where, message=message, code=codes.REJECTED_BY_OPERATOR)
        for condition in resource.output.conditions:
            yield condition.replace(where=where, is_harmless=True)
    for each in manifests:
        limit = excess(each) if native_model(each) else None
        if limit:
            yield Finding(where="/".join(identity(each)), message=f"{limit.message}: {limit.expected}")
    for each in unknown_workloads(manifests):
        yield Finding(where="/".join(identity(each)), message=_UNKNOWN_KIND, is_harmless=has_workers)


def _claims(objects: list[Object], workers: Sequence[Worker]) -> list[Claim]:
    created = {
        text(each, "metadata", "name"): parse_quantity(text(each, "spec", "resources", "requests", "storage"))
        for each in objects
        if text(each, "kind") == "PersistentVolumeClaim"
    }
    paths: dict[str, list[str]] = {name: [] for name in created}
    for worker in workers:
        for volume in worker.usage.volumes:
            if volume.kind == "persistentVolumeClaim":
                paths.setdefault(volume.source, []).append(volume.path)
    unique = {name: tuple(dict.fromkeys(mounts)) for name, mounts in paths.items()}
    return [Claim(name=name, size=created.get(name), paths=mounts) for name, mounts in unique.items()]
