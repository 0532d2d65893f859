"""Facts of a job's manifests: what its first and last pod have, what its launcher is told, and what follows failures.

Two manifests of one job, such as another system's and its translation, are compared by their facts. A launcher's
options count alike as arguments and as variables.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from trainc.commandline.word import UNKNOWN
from trainc.plan.container import resolve_container, training_container
from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, Path, items, mapping, text
from trainc.plan.launch import WorkerLaunch
from trainc.plan.models import controls_workers, native_objects
from trainc.plan.plan import Plan, plan
from trainc.plan.process_env import process_env
from trainc.plan.redact import redact_plan
from trainc.plan.world import Worker
from trainc.systems.shared.model import MARKS

TEMPLATE = "*"  # first step of a path below the pod template
# Fields of a pod and of a container that are compared by what they mean.
_OF_POD = frozenset(("containers", "initContainers", "volumes", "hostname", "subdomain", *MARKS))
_OF_CONTAINER = frozenset(("name", "command", "args", "env", "ports", "resources", "volumeMounts", *MARKS))
# Fields of a job file that decide a failure case, by the words in its trigger or effect.
_CAUSES = {
    "load changes": "elastic.metrics",
    "can be scheduled": "scheduling.gang",
    "after the job has finished": "lifecycle.ttlSecondsAfterFinished",
    "ttlSecondsAfterFinished": "lifecycle.ttlSecondsAfterFinished",
    "job has run for": "lifecycle.activeDeadlineSeconds",
    "running pods": "lifecycle.cleanPodPolicy",
    "running and pending pods": "lifecycle.cleanPodPolicy",
    "restart": "lifecycle.backoffLimit",
}
# Words of one system for what another one does, too; a line of its own says what happens to the other pods.
_SYNONYMS = {
    "the job is complete": "the job has succeeded",
    "a container exits": "a worker exits",
    "the job fails immediately, and its other pods are terminated": "the job fails",
}
OBJECTS = {"HorizontalPodAutoscaler": "elastic.metrics", "PodGroup": "scheduling.gang"}


class Fact(NamedTuple):
    """Value, the words for what has it, and where a manifest states it: a path, or a field of a job file."""

    what: str
    value: str
    path: Path = ()
    field: str = ""


Facts = dict[tuple[str, ...], Fact]


def job_facts(objects: list[Object]) -> Facts:
    """Return the facts of the manifests of one job, without secrets; none without pods, as of a rejected job."""
    planned = redact_plan(plan(objects))
    if not planned.workers:
        return {}
    facts = dict(_sizes(planned))
    stated = {name: set(_names(objects, name)) for name in ("labels", "annotations")}
    for worker in (planned.workers[-1], planned.workers[0]):  # a difference of both is one difference
        env = process_env(worker, planned.workers, planned.initial_size)
        facts |= _pod_facts(worker, stated, env)
    kinds = [text(each, "kind") for each in objects if controls_workers(each)]
    for case in planned.failure_cases:
        cause = next((field for words, field in _CAUSES.items() if words in f"{case.trigger}: {case.effect}"), "")
        trigger, effect = (_without_names(words, kinds, planned.workers) for words in (case.trigger, case.effect))
        facts["failure", trigger] = Fact(trigger, effect, field=cause)
    for each in native_objects(objects):
        kind = text(each, "kind")
        if text(each, "createdBy") and kind in OBJECTS:
            inner = _flat((kind,), mapping(each, "spec"), (), f"{kind}: ")
            facts |= {key: fact._replace(field=OBJECTS[kind]) for key, fact in inner.items()}
    return facts


def _names(value: Any, field: str) -> Iterator[str]:
    """Yield the names in all mappings that are the value of a field."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield from inner if name == field and isinstance(inner, dict) else _names(inner, field)
    for each in value if isinstance(value, list) else ():
        yield from _names(each, field)


def _without_names(words: str, kinds: list[str], workers: Iterable[Worker]) -> str:
    for kind in kinds:
        words = words.replace(f"the {kind}", "the job")
    for worker in workers:
        if words.startswith(f"{worker.pod.hostname} "):
            words = f"worker {worker.position}{words.removeprefix(worker.pod.hostname)}"
    for special, common in _SYNONYMS.items():
        words = words.replace(special, common)
    return words


def _sizes(planned: Plan) -> Iterator[tuple[tuple[str, ...], Fact]]:
    for size in planned.world_sizes:
        name = "initial" if size.name == "fixed" else size.name
        yield ("size", name), Fact(f"the {name} number of pods", str(size.pods), field="workers")


def _pod_facts(worker: Worker, stated: dict[str, set[str]], env: dict[str, str]) -> Facts:
    """Return the facts of a pod, whose launcher sets `env` for its processes.

    Labels and annotations that no manifest states are its controller's.
    """
    pod, main = worker.pod, training_container(worker.pod)
    facts: Facts = {}
    facts["dns",] = Fact("a worker's DNS names", ", ".join(worker.names) or "none", (TEMPLATE, "spec"))
    for name, values in (("labels", pod.labels), ("annotations", pod.annotations)):
        own = {key: value for key, value in values.items() if key in stated[name]}
        facts |= _flat((name,), own, (TEMPLATE, "metadata", name), f"the pods' {name[:-1]} ")
    rest = {key: value for key, value in pod.spec.items() if key not in _OF_POD}
    facts |= _flat(("pod",), rest, (TEMPLATE, "spec"), "")
    volumes = {text(volume, "name"): volume for volume in items(pod.spec, "volumes")}
    for kind in ("containers", "initContainers"):
        for number, container in enumerate(items(pod.spec, kind)):
            path = (TEMPLATE, "spec", kind, number)
            facts |= _container_facts(worker, container, env if container == main else None, volumes, path)
    return facts


def _container_facts(
    worker: Worker, container: Object, env: dict[str, str] | None, volumes: Object, path: Path
) -> Facts:
    """Return the facts of a container; `env` is the environment of the processes in the training container."""
    is_main, name = env is not None, text(container, "name")
    key, of = ("container", "" if is_main else name), "" if is_main else f"{name}: "
    resolved = resolve_container(worker.pod, container)
    launch = worker.launch if is_main and worker.launch.command else None
    facts: Facts = {} if launch is None else _launcher_facts(launch, path)
    if launch is not None and resolved.argv[1:3] == ("-m", launch.command):
        facts[*key, "python"] = Fact("the launcher's Python", resolved.argv[0], (*path, "command", 0))
    if is_main:
        facts[*key, "name"] = Fact("the training container's name", name, (*path, "name"))
    options = set() if launch is None else set(launch.option_variables)
    program = list(resolved.argv if launch is None else launch.program)
    if program[1:2] == ["-u"]:
        del program[1]  # operators set PYTHONUNBUFFERED
    where = (*path, "command") if launch else (*path, "command", 0)
    facts[*key, "program"] = Fact(f"{of}the program", shlex.join(program), where)
    positions = {text(each, "name"): number for number, each in enumerate(items(container, "env"))}
    if not worker.pod.created_by:  # Kubernetes' own variables
        options |= {text(each, "name") for each in items(container, "env") if text(each, "createdBy")}
    for variable in resolved.env:
        if variable.name not in options:
            where = (*path, "env", *((positions[variable.name], "value") if variable.name in positions else ()))
            is_replaced = (env or {}).get(variable.name, variable.value) != variable.value
            what = f"{of}variable `{variable.name}`" + f" (which {worker.launch.label} replaces)" * is_replaced
            facts[*key, "env", variable.name] = Fact(what, variable.value, where)
    limits = mapping(container, "resources", "limits")
    for kind, amounts in (("limits", limits), ("requests", {**limits, **mapping(container, "resources", "requests")})):
        facts |= _flat((*key, kind), amounts, (*path, "resources", kind), f"{of}resources.{kind}.")
    for mount in (each for each in items(container, "volumeMounts") if not text(each, "createdBy")):
        folder = text(mount, "mountPath").rstrip("/")
        source = {**volumes.get(text(mount, "name"), {}), **mount}
        fields = {field: value for field, value in source.items() if field not in ("name", "mountPath")}
        facts |= _flat((*key, "volume", folder), fields, (*path, "volumeMounts"), f"{of}the volume at {folder}: ")
    for index, port in enumerate(items(container, "ports")):
        number, protocol = text(port, "containerPort"), text(port, "protocol") or "TCP"
        label = text(port, "name") or number
        shown = number if protocol == "TCP" else f"{number}/{protocol}"
        facts[*key, "port", label] = Fact(f"{of}port `{label}`", shown, (*path, "ports", index, "containerPort"))
    rest = {field: value for field, value in container.items() if field not in _OF_CONTAINER}
    return facts | _flat(key, rest, path, of)


def _launcher_facts(launch: WorkerLaunch, path: Path) -> Facts:
    """Return the launcher's options; the numbers of nodes and processes as the plan reads them."""
    values = dict(launch.options)
    if launch.nodes is not None:
        values["nnodes"] = ":".join(map(str, dict.fromkeys(launch.nodes)))
    if launch.processes is not None:
        values["nproc_per_node"] = str(launch.processes)
    where, key = (*path, "command"), ("launcher", launch.launcher)
    values = {name: text.replace(UNKNOWN, placeholder("known in the pod")) for name, text in values.items()}
    options: Facts = {(*key, name): Fact(f"{launch.launcher}'s {name}", text, where) for name, text in values.items()}
    return {**options, (*key, ""): Fact("the launcher", launch.command, (*where, 0))}


def _flat(key: tuple[str, ...], value: Any, path: Path, what: str) -> Facts:
    """Return the scalars in a value; items of a list are known by their names, else by their numbers."""
    inside: list[tuple[str, str | int, Any, str]] = []
    if isinstance(value, dict):
        inside = [(str(name), str(name), inner, f"{what}{name}") for name, inner in value.items()]
    elif isinstance(value, list):
        names = [text(inner, "name") or str(number) for number, inner in enumerate(value)]
        inside = [(name, number, value[number], f"{what.rstrip('.')}[{name}]") for number, name in enumerate(names)]
    elif value is not None:
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        return {key: Fact(what if "pods' " in what else f"`{what}`", shown, path)}
    facts: Facts = {}
    for name, step, inner, words in inside:
        dot = "." if isinstance(inner, dict) else ""
        facts |= _flat((*key, name), inner, (*path, step), f"{words}{dot}")
    return facts
