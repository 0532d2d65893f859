"""A plan in words, for every form that people read."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from trainc.plan import redact as hide
from trainc.plan.expand import OPEN, is_resolved
from trainc.plan.fold_workers import mask_index
from trainc.plan.launch.worker_launch import WorkerLaunch
from trainc.plan.plan import Plan
from trainc.plan.process_env import process_env
from trainc.plan.quantity import format_bytes, format_count
from trainc.plan.usage import SHM, Volume
from trainc.plan.world import Worker

KINDS = {
    "persistentVolumeClaim": "claim",
    "configMap": "ConfigMap",
    "secret": "Secret",
    "emptyDir": "empty folder",
    "hostPath": "folder of the node",
    "nfs": "NFS",
}
Fact = tuple[str, str]
# Behind what isn't in the manifests: an operator makes it.
MADE = "†"
_OWN = f"{OPEN}each its own›"


def headline(plan: Plan) -> str:
    """What it is, in a line."""
    if not plan.workers:
        return f"{plan.name}: no pods"
    start, last = plan.workers[0].launch, plan.world_sizes[-1]
    pods = f"{len(plan.workers)} pod{'s' if len(plan.workers) > 1 else ''}"
    launcher = {"none": "no launcher", "basic": "the program itself"}.get(start.launcher, start.launcher)
    text = f"{plan.name}: {launcher} on {pods}"
    if last.world is not None and start.processes and start.launcher != "none":
        low = plan.world_sizes[0].world
        world = f"{low} to {last.world}" if low is not None and low != last.world else str(last.world)
        text += f" × {start.processes} process{'es' if start.processes > 1 else ''}, a world of {world}"
    return text + (", which wait" if plan.suspended else "")


def summary(plan: Plan) -> list[Fact]:
    """What is true of all workers, or of the first."""
    if not plan.workers:
        return [("objects", objects(plan))]
    one = plan.workers[0]
    start = one.launch
    found: list[Fact] = [("launcher", _launcher(start, one)), ("meets", _meets(plan, one))]
    found.append(("id", _id(start)))
    found.append(("first runs", "; ".join(_before(plan))))
    added, argv = one.container.operator_args, one.container.argv
    found.append((f"container{mark(added == argv)}", command(plan, argv)))
    if added != argv:
        found.append((f"added{mark(True)}", " ".join(_word(word) for word in hide.redact_args(added))))
    if start.launcher != "none":
        found.append(("each process", command(plan, start.program)))
        found.append(("is told", ", ".join(f"{name}={text}" for name, text in _told(plan).items())))
    found.append(("variables", ", ".join(_variables(plan))))
    if one.container.env_from:
        found.append(("and all of", ", ".join(one.container.env_from)))
    found.append(("image", one.container.image))
    found.append(("volumes", "; ".join(volume(each, plan) for each in plan.volumes if each.path != SHM)))
    others = {name: each for name, each in one.usage.others.items() if each}
    found.append(("also takes", ", ".join(f"{name} {format_count(each)}" for name, each in others.items())))
    found.append((SHM, _shm(one)))
    found.append(("objects", objects(plan)))
    return [(name, text) for name, text in found if text]


def objects(plan: Plan) -> str:
    """Kinds with their names; many of a kind by their number; those that an operator makes with its mark."""
    by_kind: dict[tuple[str, str], list[str]] = {}
    for kind, name in plan.objects:
        by_kind.setdefault((kind, ""), []).append(name)
    for kind, name, by in plan.created_objects:
        by_kind.setdefault((kind, mark(by)), []).append(name)
    return ", ".join(
        (f"{kind}/{names[0]}" if len(names) == 1 else f"{len(names)} {kind}s") + made
        for (kind, made), names in by_kind.items()
    )


def mark(by: str | bool) -> str:
    """What is behind the name of a thing that an operator makes."""
    return f"\u00a0{MADE}" if by else ""


def _before(plan: Plan) -> list[str]:
    """Init containers, those of the first pod and those that only others have."""
    first, last = plan.workers[0], plan.workers[-1]
    own = {each.name for each in first.init_containers}
    found = []
    for each in (*first.init_containers, *(one for one in last.init_containers if one.name not in own)):
        some = "" if each.name in own else f" (not in {first.pod.hostname})"
        words = " ".join(_word(word) for word in hide.redact_args(each.argv))
        found.append(f"{each.name}{mark(each.created_by)}: {words or each.image}{some}")
    return found


def command(plan: Plan, argv: Iterable[str]) -> str:
    """A command line as a shell would take it; what differs between workers stays open."""
    words = list(argv)
    first, last = plan.workers[0], plan.workers[-1]
    if len(plan.workers) > 1 and tuple(words) == first.container.argv:
        theirs = last.container.argv
        if len(theirs) == len(words):
            words = [_open(a, b, first, last) for a, b in zip(words, theirs, strict=True)]
    elif len(plan.workers) > 1 and tuple(words) == first.launch.program:
        theirs = last.launch.program
        if len(theirs) == len(words):
            words = [_open(a, b, first, last) for a, b in zip(words, theirs, strict=True)]
    return " ".join(_word(word) for word in hide.redact_args(words))


def _open(mine: str, theirs: str, first: Worker, last: Worker) -> str:
    if mine == theirs:
        return mine
    left = mask_index(mine, first)
    if left == mask_index(theirs, last):
        return left
    name, equals, _ = mine.partition("=")
    return f"{name}{equals}{_OWN}" if equals and theirs.startswith(name + equals) else _OWN


def _word(word: str) -> str:
    """A program in an argument by its beginning: all of it is in the manifest."""
    lines = word.strip().splitlines()
    if len(lines) > 1:
        return f"{OPEN}{len(lines)} lines: {lines[0][:40].strip()} …›"
    return word if not is_resolved(word) else shlex.quote(word)


def _launcher(start: WorkerLaunch, one: Worker) -> str:
    many = f"{start.processes} process{'' if start.processes == 1 else 'es'} a pod" if start.processes else ""
    many = many or f"processes: {start.processes_source}"
    if start.launcher == "torchrun":
        nodes = "" if start.nodes is None else "–".join(str(each) for each in dict.fromkeys(start.nodes))
        text = f"torchrun, {nodes or '?'} node{'' if start.nodes == (1, 1) else 's'}, {many}"
        return text + (f", {start.restarts} restarts" if start.restarts else "")
    if start.launcher == "deepspeed":
        return f"deepspeed on worker 0, by ssh, {many}" if start.ssh else f"DeepSpeed's launcher on each pod, {many}"
    if start.launcher == "basic":
        return f"the program itself, {many}, told its rank"
    return f"none: {one.container.name} runs what it says"


def _meets(plan: Plan, one: Worker) -> str:
    start = one.launch
    if not start.rendezvous_host or start.launcher == "none":
        return ""
    if start.is_standalone:
        return "nobody: a world of one pod, on a free port of its own"
    where = f"{start.rendezvous_host}:{start.port}"
    found = plan.rendezvous
    by = f"{start.backend} at " if start.backend else "at "
    if found is None or found.kind in ("outside", "address"):
        return f"{by}{where}, which is not in these manifests"
    behind = [each.pod.hostname for each in plan.workers if each.position in found.pods]
    behind += [each.pod.owner for each in plan.servers if not behind and found.pods]
    leads = ", ".join(behind[:3]) + (f" and {len(behind) - 3} more" if len(behind) > 3 else "")
    through = f"Service/{found.service.name}" if found.service else "which"
    return f"{by}{where}; {through} leads to {leads or 'no pod'}"


def _id(start: WorkerLaunch) -> str:
    return start.id if start.launcher == "torchrun" and not start.is_standalone else ""


def _told(plan: Plan) -> dict[str, str]:
    stage = next((each for each in plan.world_sizes if each.name == "at first"), plan.world_sizes[-1])
    first = process_env(plan.workers[0], plan.workers, stage)
    last = process_env(plan.workers[-1], plan.workers, stage)
    return {name: text if last.get(name) == text else f"{OPEN}its own›" for name, text in first.items()}


def _variables(plan: Plan) -> list[str]:
    first, last = plan.workers[0], plan.workers[-1]
    theirs = {each.name: each.value for each in last.container.env}
    found = []
    for each in first.container.env:
        text = hide.redact_value(each.name, each.value)
        if theirs.get(each.name) != each.value:
            text = _open(text, hide.redact_value(each.name, theirs.get(each.name, "")), first, last)
        by = f" ({each.source})" if each.source.startswith("the ") else ""
        by = mark(each.source) if each.source in plan.operators else by
        found.append(f"{each.name}={text if not is_resolved(text) else shlex.quote(text)}{by}")
    return found


def volume(given: Volume, plan: Plan) -> str:
    """Where it is mounted and what it is."""
    kind = KINDS.get(given.kind, given.kind)
    claim = next(
        (each for each in plan.claims if given.kind == "persistentVolumeClaim" and each.name == given.source), None
    )
    more = (
        "" if claim is None else f" of {format_bytes(claim.size)}, made here" if claim.size else ", which must be there"
    )
    return f"{given.path}: {kind} {given.source}".rstrip() + more + (", read only" if given.read_only else "")


def _shm(one: Worker) -> str:
    return f"{format_bytes(one.usage.shm)} {one.usage.shm_source}" if one.usage.shm else one.usage.shm_source
