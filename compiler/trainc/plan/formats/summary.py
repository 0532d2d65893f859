"""Summary of a plan: its headline, and the values that all workers share."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable

from trainc.plan.expand import OPEN, is_resolved
from trainc.plan.fold_workers import mask_index
from trainc.plan.launch import WorkerLaunch
from trainc.plan.plan import Plan
from trainc.plan.process_env import process_env
from trainc.plan.quantity import format_bytes, format_count, format_range, plural
from trainc.plan.usage import HUGE_PAGES, Volume
from trainc.plan.world import Worker, count_pods
from trainc.secrets.text import redact
from trainc.well_known import JOB_LABEL, LAUNCHER_POD, SHM_PATH

VOLUME_KINDS = {
    "persistentVolumeClaim": "claim",
    "configMap": "ConfigMap",
    "secret": "Secret",
    "emptyDir": "emptyDir",
    "hostPath": "host path",
    "nfs": "NFS",
}
# Mark of objects, containers and variables that an operator creates.
MARK = "†"
_SHOWN_FILES = 4
_VARIES = f"{OPEN}per worker›"


def headline(plan: Plan) -> str:
    """Summarize the job in a line."""
    if not plan.workers:
        return f"{plan.name}: no pods"
    launch, least, most = plan.workers[0].launch, plan.world_sizes[0], plan.world_sizes[-1]
    pods = f"{least.pods} to {most.pods} pods" if least.pods != most.pods else plural(most.pods, "pod")
    text = f"{plan.name}: {launcher_name(launch)}, {pods}"
    if most.world is not None and launch.processes and launch.has_launcher:
        world = f"{least.world} to {most.world}" if least.world not in (None, most.world) else str(most.world)
        text += f" × {_processes(plan)}, world size {world}"
    return text + (", suspended" if plan.suspended else "")


def _processes(plan: Plan) -> str:
    """Return the processes of a pod: a range if mpirun starts fewer than the hostfile has slots."""
    counts = [worker.launch.processes or 0 for worker in plan.workers]
    low, high = min(counts), max(counts)
    return plural(high, "process", "es") if low == high else f"{format_range(low, high)} processes"


def launcher_name(launch: WorkerLaunch) -> str:
    """Return the launcher's name for people."""
    if launch.label == launch.framework:
        return launch.label
    return launch.launcher if launch.has_launcher else "no launcher"


def summary(plan: Plan) -> list[tuple[str, str]]:
    """Return names and values; where workers differ, a value is that of the first with placeholders."""
    if not plan.workers:
        return [("objects", objects(plan))]
    worker = plan.workers[0]
    launch, container = worker.launch, worker.container
    only_operator = container.operator_args == container.argv
    rows = [
        ("launcher", _launcher(plan, launch)),
        ("rendezvous", _rendezvous(plan, launch)),
        ("rendezvous id", launch.id),
        *launch.details,
        ("init containers", "; ".join(_init_containers(plan))),
        (f"command{mark(only_operator)}", command(plan, container.argv)),
        ("added to the command", plan.added_words),
        ("training command", redact(plan.debug_command)),
        ("debug", _exec(plan) if plan.debug_command else ""),
    ]
    if not only_operator:
        rows.append((f"operator args{mark(True)}", _command_line(container.operator_args)))
    if launch.has_launcher:
        rows.append(("process command", command(plan, launch.program)))
        rows.append(("process environment", ", ".join(_process_env(plan))))
    others = [
        f"{name} {format_bytes(amount) if name.startswith(HUGE_PAGES) else format_count(amount)}"
        for name, amount in worker.usage.others.items()
        if amount
    ]
    rows += [
        ("container variables", ", ".join(_variables(plan))),
        ("variables from", ", ".join(container.env_from)),
        ("image", container.image),
        ("volumes", "; ".join(volume(each, plan) for each in plan.volumes if each.path != SHM_PATH)),
        ("other resources", ", ".join(others)),
        (SHM_PATH, f"{format_bytes(worker.usage.shm) if worker.usage.shm else ''} {worker.usage.shm_source}".strip()),
        ("objects", objects(plan)),
    ]
    return [(name, value) for name, value in rows if value]


def _exec(plan: Plan) -> str:
    """Return the command that opens a shell in the pod of the training command, which needs its environment."""
    worker = plan.workers[0]
    namespace = f" -n {plan.namespace}" if plan.namespace else ""
    pod = worker.pod.name
    launcher = plan.servers[-1].pod if plan.debug_command.startswith(LAUNCHER_POD) and plan.servers else None
    if launcher is not None:
        pod = f"job/{launcher.hostname}"  # kubectl takes the Job's pod
    elif not is_resolved(pod):
        index = (f",{name}={value}" for name, value in worker.pod.labels.items() if name.endswith("completion-index"))
        pod = f"$(kubectl get pods{namespace} -l {JOB_LABEL}={plan.name}{''.join(index)} -o name)"
    return f"kubectl exec -it{namespace} {pod} -c {worker.container.name} -- sh"


def objects(plan: Plan) -> str:
    """List kinds with names, several of a kind by their number; those that an operator creates are marked."""
    counts: Counter[tuple[str, str]] = Counter()
    names: dict[tuple[str, str], str] = {}
    for each in plan.objects:
        key = each.kind, mark(each.created_by)
        counts[key] += each.multiplicity
        names[key] = each.name
    return ", ".join(
        (f"{kind}/{names[kind, suffix]}" if count == 1 else f"{count} {kind}s") + suffix
        for (kind, suffix), count in counts.items()
    )


def mark(created_by: str | bool) -> str:
    """Return the mark behind a name, if an operator creates the object."""
    return f"\u00a0{MARK}" if created_by else ""


def _init_containers(plan: Plan) -> list[str]:
    """List init containers of the first worker, and those that only the last has."""
    first, last = plan.workers[0], plan.workers[-1]
    names = {each.name for each in first.init_containers}
    rows = []
    for each in (*first.init_containers, *(other for other in last.init_containers if other.name not in names)):
        suffix = "" if each.name in names else f" (not in {first.pod.hostname})"
        rows.append(f"{each.name}{mark(each.created_by)}: {_command_line(each.argv) or each.image}{suffix}")
    return rows


def command(plan: Plan, argv: Iterable[str]) -> str:
    """Format a command line of the first worker for a shell, with placeholders where the last worker's differs."""
    words = tuple(argv)
    first, last = plan.workers[0], plan.workers[-1]
    pairs = ((first.container.argv, last.container.argv), (first.launch.program, last.launch.program))
    other = next((theirs for own, theirs in pairs if own == words), words)
    if plan.pod_count > 1 and len(other) == len(words):
        words = tuple(_mask(left, right, first, last) for left, right in zip(words, other, strict=True))
    return _command_line(words)


def _mask(own: str, other: str, first: Worker, last: Worker) -> str:
    if own == other:
        return own
    masked = mask_index(own, first)
    if masked == mask_index(other, last):
        return masked
    name, equals, _ = own.partition("=")
    return f"{name}{equals}{_VARIES}" if equals and other.startswith(name + equals) else _VARIES


def _command_line(words: Iterable[str]) -> str:
    return " ".join(_word(word) for word in words)


def _word(word: str) -> str:
    """Quote a word for a shell. A script is abbreviated to its first line."""
    lines = word.strip().splitlines()
    if len(lines) > 1:
        return f"{OPEN}{len(lines)} lines: {lines[0][:40].strip()} …›"
    return word if not is_resolved(word) else shlex.quote(word)


def _launcher(plan: Plan, launch: WorkerLaunch) -> str:
    is_started = launch.framework not in ("", launch.label)
    parts = [f"{launch.label}, started by {launch.framework}" if is_started else launch.label]
    if launch.has_launcher:
        if launch.nodes is not None:
            span = "–".join(str(bound) for bound in dict.fromkeys(launch.nodes))
            parts.append(f"{span} node{'' if span == '1' else 's'}")
        counted = f"{_processes(plan)} per pod" if launch.processes else ""
        parts.append(counted or f"processes: {launch.processes_source or 'unknown'}")
    if launch.restarts:
        parts.append(plural(launch.restarts, "restart"))
    return ", ".join(parts)


def _rendezvous(plan: Plan, launch: WorkerLaunch) -> str:
    if launch.is_standalone:
        if launch.rendezvous == "static" and launch.port is None:
            return ""  # the program knows none
        own = f"at {launch.rendezvous_host}:{launch.port}" if launch.rendezvous == "static" else "on a free port"
        return f"standalone, {own} of the pod"
    if not launch.joins:
        return ""
    endpoint = " at ".join(filter(None, (launch.backend, f"{launch.rendezvous_host}:{launch.port}")))
    resolved = plan.rendezvous
    if resolved is None or resolved.kind in ("external", "address"):
        return f"{endpoint}, outside these manifests"
    workers = [worker for worker in plan.workers if worker.position in resolved.pods]
    pods = [worker.pod.hostname for worker in workers] or [each.workload for each in plan.servers if resolved.pods]
    count = count_pods(workers) or len(pods)
    target = ", ".join(pods[:3]) + (f" and {count - 3} more" if count > 3 else "")
    source = f"; Service/{resolved.service.name}" if resolved.service else ", which"
    return f"{endpoint}{source} resolves to {target or 'no pod'}"


def _process_env(plan: Plan) -> list[str]:
    first = process_env(plan.workers[0], plan.workers, plan.initial_size)
    last = process_env(plan.workers[-1], plan.workers, plan.initial_size)
    return [f"{name}={value if last.get(name) == value else _VARIES}" for name, value in first.items()]


def _variables(plan: Plan) -> list[str]:
    first, last = plan.workers[0], plan.workers[-1]
    others = {each.name: each.value for each in last.container.env}
    rows = []
    for each in first.container.env:
        text = each.value
        if others.get(each.name) != each.value:
            text = _mask(text, others.get(each.name, ""), first, last)
        controller = f" ({each.source})" if each.source.startswith("the ") else ""
        suffix = mark(each.source) if each.source in plan.operators else controller
        rows.append(f"{each.name}={text if not is_resolved(text) else shlex.quote(text)}{suffix}")
    return rows


def volume(mounted: Volume, plan: Plan) -> str:
    """Format a volume's mount path, kind and source."""
    kind = VOLUME_KINDS.get(mounted.kind, mounted.kind)
    claims = (each for each in plan.claims if mounted.kind == "persistentVolumeClaim" and each.name == mounted.source)
    claim = next(claims, None)
    note = ""
    if claim is not None:
        note = f" ({format_bytes(claim.size)}, created)" if claim.size else " (must exist)"
    if files := plan.files(mounted):
        more = f" and {len(files) - _SHOWN_FILES} more" if len(files) > _SHOWN_FILES else ""
        note = f" ({', '.join(files[:_SHOWN_FILES])}{more})"
    return f"{mounted.path}: {kind} {mounted.source}".rstrip() + note + (", read-only" if mounted.read_only else "")
