"""From manifests to a plan: what each pod will be, see and do, what they need, and what can't work."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from trainc.plan.container import container, main
from trainc.plan.failures import Case, cases
from trainc.plan.findings import findings
from trainc.plan.launchers.recognise import start
from trainc.plan.names import Found, Names, Service
from trainc.plan.pods import Pod, Size, is_suspended, pods, sizes
from trainc.plan.quantity import amount
from trainc.plan.tree import Object, text
from trainc.plan.usage import Volume, usage
from trainc.plan.world import Finding, Member, Stage, numbered, stages
from trainc.record import Record


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
    """Of one job. `objects` are the kinds and names of all manifests; the members are those of the largest world."""

    name: str
    namespace: str
    owner: str
    suspended: bool
    objects: tuple[tuple[str, str], ...]
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
    """The plan of one job's manifests."""
    every = list(pods(objects))
    names = Names(objects, every)
    training = [place for place, pod in enumerate(every) if not pod.owner.startswith("Deployment/")]
    members = numbered([_member(every, place, names, objects) for place in training])
    meeting = _meeting(members, names)
    if meeting is not None and len(meeting.pods) == 1:
        members = [one.replace(hosts=one.place in meeting.pods) for one in members]
    size = _size(objects, members)
    owners = list(dict.fromkeys(one.pod.owner for one in members))
    first = next((one for one in objects if text(one, "kind") in ("Job", "StatefulSet")), objects[0] if objects else {})
    return Plan(
        name=text(first, "metadata", "labels", "trainc.dev/job") or text(first, "metadata", "name"),
        namespace=text(first, "metadata", "namespace"),
        owner=", ".join(filter(None, owners)) or ("Pods" if members else text(first, "kind")),
        suspended=any(is_suspended(one) for one in objects) or size.maximum == 0,
        objects=tuple((text(one, "kind"), text(one, "metadata", "name")) for one in objects),
        members=tuple(members),
        servers=tuple(_server(every, place, names) for place in range(len(every)) if place not in set(training)),
        services=tuple(names.services),
        meeting=meeting,
        stages=tuple(stages(members, size)),
        claims=tuple(_claims(objects, members)),
        volumes=tuple(dict.fromkeys(volume for one in members for volume in one.usage.volumes)),
        findings=tuple(findings(members, names, size, objects)),
        cases=tuple(cases(objects, members, size)),
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
    return Member(
        pod=pod,
        place=place,
        container=started,
        usage=used,
        start=start(started, pod, int(used.gpus), objects),
        names=tuple(names.of(place)),
        node_rank=None,
        ranks=None,
    )


def _server(every: list[Pod], place: int, names: Names) -> Server:
    used = usage(every[place], {})
    return Server(pod=every[place], names=tuple(names.of(place)), cpus=used.cpus, memory=used.memory)


def _size(objects: list[Object], members: Sequence[Member]) -> Size:
    for one in objects:
        if text(one, "kind") == "StatefulSet":
            return sizes(one, objects)
    first = sum(not one.pod.late for one in members)
    return Size(minimum=first, initial=first, maximum=len(members))


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
