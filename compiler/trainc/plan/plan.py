"""From manifests to a plan: what each pod will be, see and do, what they need, and what can't work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from trainc.plan.container import container, main
from trainc.plan.failure_case import Case
from trainc.plan.failures import cases
from trainc.plan.fields import Object, items, number, text
from trainc.plan.findings import findings
from trainc.plan.launch.recognize import start
from trainc.plan.names import Found, Names, Service
from trainc.plan.operators import Operated, operated, unread
from trainc.plan.pods import Pod, Size, autoscaler, is_suspended, pods, sizes
from trainc.plan.quantity import amount
from trainc.plan.usage import Volume, usage
from trainc.plan.world import Finding, Member, Stage, numbered, stages
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
    made: tuple[tuple[str, str, str], ...]
    members: tuple[Member, ...]
    servers: tuple[Server, ...]
    services: tuple[Service, ...]
    meeting: Found | None
    stages: tuple[Stage, ...]
    claims: tuple[Claim, ...]
    volumes: tuple[Volume, ...]
    findings: tuple[Finding, ...]
    cases: tuple[Case, ...]

    @property
    def operators(self) -> tuple[str, ...]:
        """Who makes what isn't in the manifests."""
        return tuple(dict.fromkeys(by for _, _, by in self.made))

    @property
    def totals(self) -> Stage:
        """All that the job may ever ask for: its largest world and its servers."""
        last = (
            self.stages[-1]
            if self.stages
            else Stage(name="", pods=0, nodes=0, world=0, gpus=Fraction(0), cpus=Fraction(0), memory=Fraction(0))
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
    resources = list(operated(given))
    objects = [*given, *(each for one in resources for each in one.made.objects)]
    every = list(pods(objects))
    names = Names(objects, every)
    training = [place for place, pod in enumerate(every) if not pod.owner.startswith("Deployment/")]
    members = numbered([_member(every, place, names, objects) for place in training])
    meeting = _meeting(members, names)
    if meeting is not None and len(meeting.pods) == 1:
        members = [one.replace(hosts=one.place in meeting.pods) for one in members]
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
        or any(one.made.suspended for one in resources)
        or (size.maximum == 0 and not unknown),
        objects=tuple((text(one, "kind"), text(one, "metadata", "name")) for one in given),
        made=tuple(
            (text(one, "kind"), text(one, "metadata", "name"), text(one, "by")) for one in objects[len(given) :]
        ),
        members=tuple(members),
        servers=tuple(_server(every, place, names) for place in range(len(every)) if place not in set(training)),
        services=tuple(names.services),
        meeting=meeting,
        stages=tuple(stages(members, size)),
        claims=tuple(_claims(objects, members)),
        volumes=tuple(dict.fromkeys(volume for one in members for volume in one.usage.volumes)),
        findings=(*unknown, *findings(members, names, size, objects)),
        cases=tuple(cases(objects, members, size, resources)),
    )


def _meeting(members: Sequence[Member], names: Names) -> Found | None:
    """Where the name at which all meet leads the last of them; None where they don't meet."""
    if not members or not members[0].start.meets or members[0].start.alone or members[0].start.launcher == "none":
        return None
    return names.lookup(members[0].start.meets, members[-1].place)


def _member(every: list[Pod], place: int, names: Names, objects: list[Object]) -> Member:
    pod = every[place]
    trains = main(pod)
    used, started = usage(pod, trains), container(pod, trains)
    before = tuple(container(pod, one) for one in items(pod.spec, "initContainers"))
    return Member(
        pod=pod,
        place=place,
        container=started,
        before=before,
        usage=used,
        start=start(started, pod, int(used.gpus), objects),
        names=tuple(names.of(place)),
        node_rank=None,
        ranks=None,
    )


def _server(every: list[Pod], place: int, names: Names) -> Server:
    used = usage(every[place], {})
    return Server(pod=every[place], names=tuple(names.of(place)), cpus=used.cpus, memory=used.memory)


def _size(objects: list[Object], members: Sequence[Member], resources: list[Operated]) -> Size:
    for one in objects:
        if text(one, "kind") == "StatefulSet":
            return sizes(one, objects)
    first = sum(not one.pod.late for one in members)
    low = first
    for each in resources:
        scaler = autoscaler(each.resource, objects)
        if scaler:
            fewer = (number(scaler, "spec", "maxReplicas") or 1) - (number(scaler, "spec", "minReplicas") or 1)
            low = len(members) - fewer
    return Size(minimum=low, initial=first, maximum=len(members))


def _unknown(given: list[Object], resources: list[Operated]) -> Iterator[Finding]:
    """Of what no pods are in the plan, and why."""
    for one in resources:
        messages = [f"it is refused: {wrong}" for wrong in one.made.wrong]
        yield from (Finding(where=_named(one.resource), message=message) for message in messages)
    for each in unread(given):
        yield Finding(where=_named(each), message="it has containers, but it isn't known here what makes pods of it")


def _named(thing: Object) -> str:
    return f"{text(thing, 'kind')}/{text(thing, 'metadata', 'name')}"


def _claims(objects: list[Object], members: Sequence[Member]) -> list[Claim]:
    made = {
        text(one, "metadata", "name"): amount(text(one, "spec", "resources", "requests", "storage"))
        for one in objects
        if text(one, "kind") == "PersistentVolumeClaim"
    }
    paths: dict[str, list[str]] = {name: [] for name in made}
    for one in members:
        for volume in one.usage.volumes:
            if volume.kind == "persistentVolumeClaim":
                paths.setdefault(volume.of, []).append(volume.path)
    return [Claim(name=name, size=made.get(name), paths=tuple(dict.fromkeys(where))) for name, where in paths.items()]
