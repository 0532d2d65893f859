"""From manifests to a plan: what each pod will be, see and do, what they need, and what can't work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from trainc.plan.container import resolve_container, training_container
from trainc.plan.failure_case import FailureCase
from trainc.plan.failures import failure_cases
from trainc.plan.fields import Object, items, number, text
from trainc.plan.findings import findings
from trainc.plan.launch.recognize import recognize_launch
from trainc.plan.name_resolver import NameResolver, Resolution, Service
from trainc.plan.operators import OperatedResource, operated_resources, unknown_workloads
from trainc.plan.pods import Pod, ReplicaRange, autoscaler, create_pods, is_suspended, replica_range
from trainc.plan.quantity import parse_quantity
from trainc.plan.usage import Volume, pod_usage
from trainc.plan.world import Finding, Worker, WorldSize, assign_ranks, world_sizes
from trainc.record import Record
from trainc.systems.shared.model.shapes import controllers


class Server(Record):
    """A pod that serves the workers and doesn't train, like etcd."""

    pod: Pod
    names: tuple[str, ...]
    cpus: Fraction
    memory: Fraction


class Claim(Record):
    """A PersistentVolumeClaim: `size` is None for one that must be there already."""

    name: str
    size: Fraction | None
    paths: tuple[str, ...]


class Plan(Record):
    """Of one job. `objects` are the kinds and names of all manifests, `made` those of what operators make of them, with
    the operator; the members are those of the largest world."""

    name: str
    namespace: str
    owner: str
    suspended: bool
    objects: tuple[tuple[str, str], ...]
    created_objects: tuple[tuple[str, str, str], ...]
    workers: tuple[Worker, ...]
    servers: tuple[Server, ...]
    services: tuple[Service, ...]
    rendezvous: Resolution | None
    world_sizes: tuple[WorldSize, ...]
    claims: tuple[Claim, ...]
    volumes: tuple[Volume, ...]
    findings: tuple[Finding, ...]
    failure_cases: tuple[FailureCase, ...]

    @property
    def operators(self) -> tuple[str, ...]:
        """Who makes what isn't in the manifests."""
        return tuple(dict.fromkeys(by for _, _, by in self.created_objects))

    @property
    def totals(self) -> WorldSize:
        """All that the job may ever ask for: its largest world and its servers."""
        last = (
            self.world_sizes[-1]
            if self.world_sizes
            else WorldSize(name="", pods=0, nodes=0, world=0, gpus=Fraction(0), cpus=Fraction(0), memory=Fraction(0))
        )
        return last.replace(
            pods=last.pods + len(self.servers),
            cpus=last.cpus + sum((one.cpus for one in self.servers), Fraction(0)),
            memory=last.memory + sum((one.memory for one in self.servers), Fraction(0)),
        )


def plan(objects: list[Object]) -> Plan:
    """The plan of one job's manifests. What a controller that is there, too, has made already is left out."""
    there = {(text(one, "kind"), text(one, "metadata", "name")) for one in objects}
    given = [one for one in objects if there.isdisjoint(controllers(one))]
    resources = list(operated_resources(given))
    objects = [*given, *(each for one in resources for each in one.output.objects)]
    every = list(create_pods(objects))
    names = NameResolver(objects, every)
    training = [place for place, pod in enumerate(every) if not pod.owner.startswith("Deployment/")]
    members = assign_ranks([_member(every, place, names, objects) for place in training])
    meeting = _meeting(members, names)
    if meeting is not None and len(meeting.pods) == 1:
        members = [one.replace(is_rendezvous_host=one.position in meeting.pods) for one in members]
    size = _size(objects, members, resources)
    owners = list(dict.fromkeys(one.pod.owner for one in members))
    unknown = list(_unknown(given, resources))
    main = [one for one in given if text(one, "kind") in ("Job", "StatefulSet")] or [one.resource for one in resources]
    first = (main or given or [{}])[0]
    return Plan(
        name=text(first, "metadata", "labels", "trainc.dev/job") or text(first, "metadata", "name"),
        namespace=text(first, "metadata", "namespace"),
        owner=", ".join(filter(None, owners)) or ("Pods" if members else text(first, "kind")),
        suspended=any(is_suspended(one) for one in objects)
        or any(one.output.suspended for one in resources)
        or (size.maximum == 0 and not unknown),
        objects=tuple((text(one, "kind"), text(one, "metadata", "name")) for one in given),
        created_objects=tuple(
            (text(one, "kind"), text(one, "metadata", "name"), text(one, "createdBy")) for one in objects[len(given) :]
        ),
        workers=tuple(members),
        servers=tuple(_server(every, place, names) for place in range(len(every)) if place not in set(training)),
        services=tuple(names.services),
        rendezvous=meeting,
        world_sizes=tuple(world_sizes(members, size)),
        claims=tuple(_claims(objects, members)),
        volumes=tuple(dict.fromkeys(volume for one in members for volume in one.usage.volumes)),
        findings=(*unknown, *findings(members, names, size, objects)),
        failure_cases=tuple(failure_cases(objects, members, size, resources)),
    )


def _meeting(members: Sequence[Worker], names: NameResolver) -> Resolution | None:
    """Where the name at which all meet leads the last of them; None where they don't meet."""
    if (
        not members
        or not members[0].launch.rendezvous_host
        or members[0].launch.is_standalone
        or members[0].launch.launcher == "none"
    ):
        return None
    return names.lookup(members[0].launch.rendezvous_host, members[-1].position)


def _member(every: list[Pod], place: int, names: NameResolver, objects: list[Object]) -> Worker:
    pod = every[place]
    trains = training_container(pod)
    used, started = pod_usage(pod, trains), resolve_container(pod, trains)
    before = tuple(resolve_container(pod, one) for one in items(pod.spec, "initContainers"))
    return Worker(
        pod=pod,
        position=place,
        container=started,
        init_containers=before,
        usage=used,
        launch=recognize_launch(started, pod, int(used.gpus), objects),
        names=tuple(names.names_of(place)),
        node_rank=None,
        ranks=None,
    )


def _server(every: list[Pod], place: int, names: NameResolver) -> Server:
    used = pod_usage(every[place], {})
    return Server(pod=every[place], names=tuple(names.names_of(place)), cpus=used.cpus, memory=used.memory)


def _size(objects: list[Object], members: Sequence[Worker], resources: list[OperatedResource]) -> ReplicaRange:
    for one in objects:
        if text(one, "kind") == "StatefulSet":
            return replica_range(one, objects)
    first = sum(not one.pod.on_scale_up for one in members)
    low = first
    for each in resources:
        scaler = autoscaler(each.resource, objects)
        if scaler:
            fewer = (number(scaler, "spec", "maxReplicas") or 1) - (number(scaler, "spec", "minReplicas") or 1)
            low = len(members) - fewer
    return ReplicaRange(minimum=low, initial=first, maximum=len(members))


def _unknown(given: list[Object], resources: list[OperatedResource]) -> Iterator[Finding]:
    """Of what no pods are in the plan, and why."""
    for one in resources:
        messages = [f"it is refused: {wrong}" for wrong in one.output.errors]
        yield from (Finding(where=_named(one.resource), message=message) for message in messages)
    for each in unknown_workloads(given):
        yield Finding(where=_named(each), message="it has containers, but it isn't known here what makes pods of it")


def _named(thing: Object) -> str:
    return f"{text(thing, 'kind')}/{text(thing, 'metadata', 'name')}"


def _claims(objects: list[Object], members: Sequence[Worker]) -> list[Claim]:
    made = {
        text(one, "metadata", "name"): parse_quantity(text(one, "spec", "resources", "requests", "storage"))
        for one in objects
        if text(one, "kind") == "PersistentVolumeClaim"
    }
    paths: dict[str, list[str]] = {name: [] for name in made}
    for one in members:
        for volume in one.usage.volumes:
            if volume.kind == "persistentVolumeClaim":
                paths.setdefault(volume.source, []).append(volume.path)
    return [Claim(name=name, size=made.get(name), paths=tuple(dict.fromkeys(where))) for name, where in paths.items()]
