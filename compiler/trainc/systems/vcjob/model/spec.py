"""Values of a Job with the defaults of Volcano's webhook, and with the arguments of its plugins.

createPatch of https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/webhooks/admission/jobs/mutate/mutate_job.go
"""

from __future__ import annotations

from trainc.plan.expand import placeholder
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.record import Record
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.traits import TRAITS

BY = TRAITS.operator


class Task(Record):
    """Task with its defaults; `index` is its position in the Job."""

    name: str
    index: int
    replicas: int
    min_available: int
    template: Object
    policies: list[Object]


class Job(Record):
    """Job with its defaults. `plugins` maps names to arguments, which are options of Go's package flag."""

    resource: Object
    spec: Object
    name: str
    namespace: str
    queue: str
    tasks: tuple[Task, ...]
    min_available: int
    plugins: dict[str, dict[str, str]]

    @property
    def total(self) -> int:
        """Number of pods."""
        return sum(task.replicas for task in self.tasks)

    def leads(self, task: Task) -> bool:
        """Return whether the task is the master of a plugin."""
        return any(
            task.name == self.plugins[name].get("master", facts.MASTER)
            for name in ("pytorch", "mpi")
            if name in self.plugins
        )


def read_job(resource: Object) -> Job:
    """Return a Job, whose fields may have wrong types, with the webhook's defaults."""
    spec = mapping(resource, "spec")
    tasks = tuple(_task(index, each) for index, each in enumerate(items(spec, "tasks")))
    least = number(spec, "minAvailable") or sum(task.min_available for task in tasks)
    return Job(
        resource=resource,
        spec=spec,
        name=text(resource, "metadata", "name"),
        namespace=text(resource, "metadata", "namespace") or placeholder("namespace"),
        queue=text(spec, "queue") or facts.QUEUE,
        tasks=tasks,
        min_available=least,
        plugins=plugins(spec),
    )


def _task(index: int, task: Object) -> Task:
    replicas, least = number(task, "replicas") or 0, number(task, "minAvailable")
    partitions = mapping(task, "partitionPolicy")
    if least is None:
        parts, size = number(partitions, "minPartitions") or 0, number(partitions, "partitionSize") or 0
        least = parts * size if parts > 0 else replicas
    return Task(
        name=text(task, "name") or f"{facts.TASK}{index}",
        index=index,
        replicas=replicas,
        min_available=least,
        template=mapping(task, "template"),
        policies=items(task, "policies"),
    )


def plugins(spec: Object) -> dict[str, dict[str, str]]:
    """Return the plugins with their arguments, in order of their names: patchDefaultPlugins adds those they need."""
    known = {name: flags(listed(spec, "plugins", name)) for name in mapping(spec, "plugins")}
    if not known.keys().isdisjoint(facts.NEED_SERVICE):
        known.setdefault("svc", {})
    if "mpi" in known:
        known.setdefault("ssh", {})
    return dict(sorted(known.items()))


def flags(arguments: list[object]) -> dict[str, str]:
    """Return options by name, as Go's package flag parses them; a switch without a value is `true`."""
    values: dict[str, str] = {}
    words = iter(map(str, arguments))
    for word in words:
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or not name:
            break  # the first word that is no option ends them
        is_switch = name in (facts.PUBLISH, facts.NO_POLICY, "wait-master-enabled")
        values[name] = value if equals else "true" if is_switch else next(words, "")
    return values


def is_on(options: dict[str, str], name: str) -> bool:
    """Return whether a switch is on: strconv.ParseBool."""
    return options.get(name, "") in ("1", "t", "T", "true", "TRUE", "True")


def pod_name(job: Job, task: Task, index: int) -> str:
    """Return a pod's name: MakePodName."""
    return f"{job.name}-{task.name}-{index}"


def host_name(job: Job, task: Task, index: int) -> str:
    """Return a pod's name in the Service: GenerateHosts of plugins/svc/svc.go."""
    host = text(task.template, "spec", "hostname") or pod_name(job, task, index)
    return f"{host}.{text(task.template, 'spec', 'subdomain') or job.name}"
