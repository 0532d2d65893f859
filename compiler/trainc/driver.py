"""The compiler on one page: sources → specs → IR → checks → objects → manifests."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.checks.registry import run_checks
from trainc.checks.rule import RuleContext
from trainc.compiled import Compiled, Input, Outcome, Task
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, in_order
from trainc.emit.manifest import Manifest
from trainc.emit.render import render
from trainc.frontend import read_sources
from trainc.lower.job import lower
from trainc.schema.raw_values import needs_judgement
from trainc.span import Source
from trainc.spec.job import TrainingJob
from trainc.systems.shared.objects.backend import backend
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.duplicate_jobs import Owners
    from trainc.project.projects import Projects
    from trainc.source.node import Change


def run(sources: Iterable[Source], target: Target, overrides: Iterable[Change] = ()) -> Outcome:
    """Compile every job of every source. Never raises for an invalid job: its diagnostics are in the outcome."""
    return compile_inputs(read_sources(sources, overrides), target)


def compile_inputs(inputs: list[Input], target: Target, in_own_system: bool = False) -> Outcome:
    """Lower and check every job, and plan its objects; `in_own_system` checks launch commands as they run now."""
    read = [each for item in inputs for each in item.diagnostics]
    if any(item.foreign for item in inputs):
        from trainc.foreign.translations import adapt_to_target

        inputs, read = adapt_to_target(target, inputs, read)
    jobs, problems = _compile_all(_tasks(inputs, target, in_own_system), inputs)
    diagnostics = [*read, *problems]
    if any(item.objects for item in inputs):
        from trainc.passthrough import object_diagnostics, with_objects

        diagnostics += object_diagnostics(inputs, target, jobs)
        jobs = with_objects(inputs, jobs)
    diagnostics += _project_errors(inputs, jobs, target, are_manifests=False)
    return _outcome(inputs, jobs, diagnostics, in_own_system)


def check_inputs(inputs: list[Input], target: Target) -> Outcome:
    """Check every job in its own system: another system's job as it is there, trainc's jobs for the target."""
    if not any(item.foreign for item in inputs):
        outcome = compile_inputs(inputs, target, in_own_system=True)
        if not any(diagnostic.code is codes.NOT_A_TRAINING_JOB for diagnostic in outcome.diagnostics):
            return outcome
    from trainc.foreign.own_system import file_diagnostics, own_tasks

    tasks = [task for item in inputs for task in own_tasks(item, target)]
    jobs, problems = _compile_all(tasks, inputs)
    native = [job for job, task in zip(jobs, tasks, strict=True) if task.foreign is None]
    of_projects = _project_errors(inputs, native, target, are_manifests=True)
    return _outcome(inputs, jobs, file_diagnostics(inputs, target, problems, of_projects), in_own_system=True)


def _tasks(inputs: list[Input], target: Target, in_own_system: bool) -> list[Task]:
    """Return the jobs of the inputs, each with its target; with `in_own_system` launch commands as they run now."""
    foreign = {id(job.spec): job for item in inputs for job in item.foreign}
    companions, objects = None, [each for item in inputs for _, each in item.objects]
    if objects:
        from trainc.systems.shared.reader.etcd_server import input_objects

        companions = input_objects(objects)
    tasks = []
    for item in inputs:
        for spec in item.specs:
            job = foreign.get(id(spec))
            others = companions if job is None else job.companions
            task = Task(spec=spec, target=item.target_of(spec, target), foreign=job, companions=others)
            if item.script is not None and in_own_system:
                from trainc.foreign.own_system import command_task

                task = command_task(task)
            tasks.append(task)
    return tasks


def _compile_all(tasks: list[Task], inputs: list[Input]) -> tuple[list[Compiled], list[Diagnostic]]:
    """Compile every task; the diagnostics of jobs with a matrix name their variant."""
    jobs: list[Compiled] = []
    diagnostics: list[Diagnostic] = []
    owners: Owners = {}
    projects = _projects(inputs)
    variants = {key: variant for item in inputs if item.variants for key, variant in item.variants.items()}
    for task in tasks:
        packages = projects.check_packages(task.spec.node.span.source.name) if projects is not None else ()
        compiled, problems = _compile(task.replace(packages=packages) if packages else task)
        jobs.append(compiled)
        if projects is not None:
            problems = projects.with_job(problems, compiled.job.origin)
        if len(tasks) > 1:
            from trainc.duplicate_jobs import duplicates

            problems = [*problems, *duplicates(task, compiled, owners)]
        if variants and id(task.spec) in variants:
            problems = [each.replace(variant=variants[id(task.spec)]) for each in problems]
        diagnostics += problems
    if variants:
        from trainc.sweep.limit import limit_diagnostics

        diagnostics = limit_diagnostics(diagnostics, jobs, variants)
    return jobs, diagnostics


def _compile(task: Task) -> tuple[Compiled, list[Diagnostic]]:
    context = rule_context(task)
    diagnostics = list(run_checks(context))
    foreign = task.foreign
    is_there = foreign is not None and task.in_own_system  # no other back end is advice
    if not is_there and any(diagnostic.advice for diagnostic in diagnostics):
        from trainc.checks.possible_backends import Errors, error_keys, with_possible_backends

        def errors_on(name: str) -> Errors:
            if foreign is not None and name == foreign.system.name:
                return frozenset()  # the job is there already: its errors there are not the back end's
            other = task.replace(target=task.target.replace(backend=name))
            return error_keys(list(run_checks(rule_context(other))))

        diagnostics = with_possible_backends(diagnostics, errors_on)
    if foreign is not None and diagnostics:
        from trainc.foreign.field_names import in_terms_of_file

        diagnostics = in_terms_of_file(diagnostics, foreign, task.in_own_system)
    broken = any(diagnostic.severity == "error" for diagnostic in diagnostics)
    objects = [] if broken else list(context.backend.objects(context.job, task.target))
    compiled = Compiled(spec=task.spec, target=task.target, job=context.job, objects=objects)
    if task.in_own_system or not needs_judgement(task.spec.node):
        return compiled, diagnostics
    from trainc.judge.emitted import few, pod_rejections, rejections

    if broken:
        diagnostics = [*diagnostics, *pod_rejections(context, diagnostics)]
    elif objects:
        sample = few(objects, context.backend.traits.kind)
        manifests = compiled.manifests() if len(sample) == len(objects) else list(render(sample))
        diagnostics = [*diagnostics, *rejections(task.spec, task.target, manifests, diagnostics)]
    return compiled, diagnostics


def rule_context(task: Task) -> RuleContext:
    """Return what the rules see of a job."""
    foreign, companions = task.foreign, task.companions
    config_maps = companions.config_maps if companions else {}
    job = lower(task.spec, task.target, config_maps)
    hosts = foreign.report.hosts if foreign is not None and task.in_own_system else None
    return RuleContext(
        spec=task.spec,
        job=job if hosts is None else job.replace(hosts=hosts),
        backend=backend(task.target.backend),
        target=task.target,
        lower=lower,
        file_system=foreign.system if foreign else None,
        in_own_system=task.in_own_system,
        is_own=foreign is not None and foreign.report.is_own,
        has_own_hosts=hosts is not None,
        largest_job=foreign.report.largest_job if foreign is not None and task.in_own_system else None,
        servers=companions.servers if companions else (),
        config_maps=config_maps,
        packages=task.packages,
    )


def _outcome(inputs: list[Input], jobs: list[Compiled], diagnostics: list[Diagnostic], in_own_system: bool) -> Outcome:
    """Return the jobs, none after an error, and the diagnostics that no comment suppresses."""
    if any(item.script for item in inputs):
        from trainc.foreign.translations import in_terms_of_commands

        diagnostics = in_terms_of_commands(diagnostics, inputs, in_own_system)
    projects = _projects(inputs)
    sources = [*(item.source for item in inputs), *(inputs[0].values if inputs else ())]
    commented = [*sources, *(projects.sources if projects is not None else ())]
    commented = [source for source in commented if "trainc:" in source.text]  # the prefix of comments that suppress
    if diagnostics or commented:
        from trainc.suppression import without_suppressed

        diagnostics = without_suppressed(diagnostics, sources, commented, projects)
    outcome = Outcome(jobs=jobs, diagnostics=in_order(diagnostics))
    return outcome if outcome.ok else outcome.replace(jobs=[])


def _project_errors(inputs: list[Input], jobs: list[Compiled], target: Target, are_manifests: bool) -> list[Diagnostic]:
    """Return the errors of jobs by their project files; a job without one may name a cluster, too."""
    projects = _projects(inputs)
    if projects is None and not any("cluster" in spec.node.entries for item in inputs for spec in item.specs):
        return []
    from trainc.project_errors import project_errors

    return project_errors(projects, inputs, jobs, target, are_manifests)


def _projects(inputs: list[Input]) -> Projects | None:
    """Return the project files of the inputs, which were read together."""
    return next((item.projects for item in inputs if item.projects is not None), None)


def manifests(spec: TrainingJob, target: Target) -> list[Manifest]:
    """Return the manifests of a job, also of one that the checks reject."""
    return list(render(backend(target.backend).objects(lower(spec, target), target)))


def check(spec: TrainingJob, target: Target) -> list[Diagnostic]:
    """Return the diagnostics of a job that has no file."""
    return _compile(Task(spec=spec, target=target))[1]
