"""Tasks that run the same program become the workers of one job, also if each worker is a task, as TorchX writes it."""

from __future__ import annotations

import re

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.record import Record
from trainc.source.node import Mapping, Scalar, Sequence, scalar_text
from trainc.span import Span
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod_trees import command_words, containers_of, with_containers, with_words
from trainc.systems.shared.reader.role_differences import report_differences
from trainc.systems.shared.reader.tree import child, with_entry, without_entries, without_path
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.model.spec import Job
from trainc.systems.vcjob.reader.ranks import merge_ranks

# https://github.com/pytorch/torchx/blob/main/torchx/schedulers/kubernetes_scheduler.py, app_to_resource
_FIRST_HOST = "TORCHX_RANK0_HOST"
_REPLICA = "torchx.pytorch.org/replica-id"
_NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>[0-9]+)")
_LAUNCHER, _SERVER = re.compile(r"\b(mpirun|mpiexec|orterun|horovodrun)\b"), re.compile(r"\bsshd\b")


class Workers(Record):
    """Workers of a Job: the task whose fields and template all workers get, all names, and that of the first worker.

    `has_ranks` if their command line has RANK in place of the numbers of the tasks' pods.
    """

    task: ForeignMapping
    template: ForeignMapping
    tasks: tuple[ForeignMapping, ...]
    names: tuple[str, ...]
    first: str
    has_master: bool
    has_ranks: bool
    total: int
    count: Scalar


def merge_tasks(spec: ForeignMapping, job: Job) -> Workers | None:
    """Return the workers; None without a task, or if an error was reported."""
    sections = {task.name: section for task, section in zip(job.tasks, spec.sections("tasks"), strict=False)}
    templates: dict[str, ForeignMapping] = {}
    for name, section in sections.items():
        template = section.section("template")
        if template is None:
            spec.report.add_error(f"task `{name}` has no template", section.node.span.first)
            return None
        templates[name] = template
        section.ignore("name", "replicas")
    tasks = [task for task in job.tasks if task.name in templates and task.replicas > 0]
    if not tasks:
        if sections:
            spec.report.add_error("the job has no pods", spec.where("tasks"))
        return None
    if report_mpi(spec, job, templates):
        return None
    _name_containers([templates[task.name] for task in tasks])
    if _is_a_task_a_worker(job):
        _make_equal([templates[task.name] for task in tasks], job)
        what = f"the {len(tasks)} tasks become the workers of one job"
        spec.report.add_change(what, spec.where("tasks"), elsewhere=True)
    leader = merge_ranks(templates, tasks)
    masters = [task.name for task in tasks if job.leads(task)]
    main = next((task.name for task in tasks if task.name not in masters), tasks[0].name)
    for task in tasks:
        if task.name != main:
            names = (f"task `{main}`", f"task `{task.name}`")
            report_differences(templates[main], templates[task.name], names, facts.PYTORCH_VARIABLES)
    total = sum(task.replicas for task in tasks)
    section = sections[main]
    where = section.position("replicas")
    return Workers(
        task=section,
        template=templates[main],
        tasks=tuple(sections[task.name] for task in tasks),
        names=tuple(task.name for task in tasks),
        first=leader or (masters[0] if masters else tasks[0].name),
        has_master=bool(masters),
        has_ranks=bool(leader),
        total=total,
        count=Scalar(total, str(total), where),
    )


def _is_a_task_a_worker(job: Job) -> bool:
    """Return whether the tasks are numbered and have a pod each."""
    matches = [_NUMBERED.fullmatch(task.name) for task in job.tasks]
    numbers = [(match["stem"], int(match["number"])) for match in matches if match]
    same = [(numbers[0][0], index) for index in range(len(job.tasks))] if numbers else []
    return len(job.tasks) > 1 and numbers == same and all(task.replicas == 1 for task in job.tasks)


def _name_containers(templates: list[ForeignMapping]) -> None:
    """Give the first container of every task the same name, by which containers are compared."""
    name = child(next(iter(containers_of(templates[0].node)), None), "name")
    if not isinstance(name, Scalar):
        return
    for template in templates[1:]:
        template.node = with_containers(template.node, lambda each: with_entry(each, "name", name), only_first=True)


def _make_equal(templates: list[ForeignMapping], job: Job) -> None:
    """Remove what differs by the number of a worker: a label, and the name of the first host."""
    host = facts.host_variables(job.tasks[0].name)[0]
    for template in templates:
        labels = child(template.node, "metadata", "labels")
        if template is templates[0] and isinstance(labels, Mapping) and _REPLICA in labels.entries:
            why = "all workers have the same labels"
            template.report.add_dropped(_REPLICA, labels.entries[_REPLICA].key.span, why)
        node = without_path(template.node, "metadata", "labels", _REPLICA)
        template.node = with_containers(node, lambda container: _container(container, host), only_first=True)


def _container(node: Mapping, host: str) -> Mapping:
    node = with_words(node, lambda text, _: _renamed(text, host))
    env = node.get("env")
    if isinstance(env, Sequence):
        others = [each for each in env.items if scalar_text(child(each, "name")) != _FIRST_HOST]
        node = with_entry(node, "env", Sequence(others, env.span)) if others else without_entries(node, "env")
    return node


def _renamed(text: str, host: str) -> str:
    """Return a word with the variable that the plugin svc sets in every pod, which needs no default."""
    text = re.sub(rf"\$\{{(?:{_FIRST_HOST}|{host}):[=-]localhost\}}", f"${{{host}}}", text)
    return text.replace(_FIRST_HOST, host)


def report_mpi(spec: ForeignMapping, job: Job, templates: dict[str, ForeignMapping]) -> bool:
    """Report that MPI starts the processes of one task from another, and return whether it does.

    It does by the plugin mpi, or by the plugin ssh, as in
    https://github.com/volcano-sh/volcano/blob/v1.15.1/example/integrations/mpi/mpi-example.yaml. Such a Job is valid
    for Volcano: the error is one of the translation alone.
    """
    plugins = spec.node.get("plugins")
    scripts = {name: _script(template) for name, template in templates.items()}
    launcher = next((name for name, (text, _) in scripts.items() if _LAUNCHER.search(text)), "")
    workers = [name for name, (text, _) in scripts.items() if name != launcher and _SERVER.search(text)]
    if "mpi" in job.plugins:
        where = child(plugins, "mpi")
        message, span = "the plugin mpi starts the processes of one task from another", where and where.span.first
    elif launcher and workers:
        message, span = f"task `{launcher}` starts the processes of task `{workers[0]}` over SSH", scripts[launcher][1]
    else:
        return False
    message += ", as an MPIJob's launcher does"
    help_ = "write an MPIJob, or start torchrun in every pod"
    spec.report.diagnostics.append(
        error(codes.ROLE_PROGRAMS_DIFFER, message, span or spec.where("plugins"), help=help_)
    )
    return True


def _script(template: ForeignMapping) -> tuple[str, Span]:
    """Return the command line of the first container, and its position."""
    words = command_words(next(iter(containers_of(template.node)), None))
    return " ".join(map(scalar_text, words)), words[-1].span.first if words else template.node.span.first
