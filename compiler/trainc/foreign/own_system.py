"""Check another system's job as it is there: what its API server, operator or launcher rejects, and what fails."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.compiled import Input, Task
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.message import Message
from trainc.foreign.worlds import World, planned_worlds, world_diagnostics
from trainc.judge.api_server import OF_FILE
from trainc.judge.objects import companion_rejections, judge
from trainc.lower.lifecycle import lower_failure
from trainc.lower.size import lower_replicas
from trainc.source.node import Mapping, Node, Sequence, scalar_text
from trainc.span import Place, Span
from trainc.spec.document import read
from trainc.spec.job import TrainingJob
from trainc.spec.lifecycle import Lifecycle
from trainc.systems.registry import launcher_pod_backend, traits
from trainc.systems.shared.reader.documents import ForeignJob, objects_of
from trainc.systems.shared.reader.job_document import without_server_fields
from trainc.systems.shared.reader.tree import child, items, with_path, without_entries
from trainc.target import Target

_LIMITS = ("backoffLimit", "backoffLimitPerIndex")
# Errors about values of the translated job.
_SCHEMA_CODES = (codes.MISSING_FIELD, codes.WRONG_TYPE, codes.INVALID_VALUE, codes.INVALID_QUANTITY)
# Codes of warnings that say all about a value: it depends on the cluster, or Kubernetes uses another one.
_FINAL_WARNINGS = (codes.REJECTED_BY_OPERATOR, codes.VALUE_READ_OTHERWISE)
# Differences between a file and its translation.
OF_TRANSLATION = (
    codes.IMPORT_DROPPED_FIELD,
    codes.IMPORT_CHANGED_FIELD,
    codes.IMPORT_CORRECTED,
    codes.ROLE_PROGRAMS_DIFFER,
    codes.ROLE_PODS_DIFFER,
    codes.CUSTOM_COMMAND,
)


def own_tasks(item: Input, target: Target) -> Iterator[Task]:
    """Yield the jobs of a file, each with its own system as the target."""
    translated = {id(job.spec) for job in item.foreign}
    for native in (spec for spec in item.specs if id(spec) not in translated):
        task = Task(spec=native, target=item.target_of(native, target))
        yield command_task(task) if item.script else task
    for job in item.foreign:
        spec = read(_with_own_variables(job.job, job)) if isinstance(job.job, Mapping) else None
        if isinstance(spec, TrainingJob):
            emitted = job.as_emitted
            version = scalar_text(emitted.document.get("apiVersion"))
            own = item.target_of(spec, target).for_resource(emitted.system.traits, version)
            spec = without_lifecycle_defaults(spec, own) if job.report.is_own else spec
            yield Task(spec=spec, target=own, foreign=job, companions=job.companions, in_own_system=True)


def command_task(task: Task) -> Task:
    """Return the task that checks a launch command as it runs now: with a launcher pod, whose ssh is not trainc's."""
    target = task.target
    if task.spec.launch.traits.starts_over_ssh and not traits(target.backend).has_launcher_pod:
        target = target.replace(backend=launcher_pod_backend())
    return task.replace(target=target, in_own_system=True)


def file_diagnostics(
    inputs: list[Input], target: Target, problems: list[Diagnostic], of_projects: list[Diagnostic]
) -> list[Diagnostic]:
    """Return the diagnostics of files: `problems` of their jobs, `of_projects`, and those of the files themselves."""
    worlds = planned_worlds(inputs)
    of_files = [*_own_diagnostics(inputs, worlds, target)]
    judged = {(each.code, each.span.place) for each in of_files}
    of_jobs = [each for each in problems if (each.code, each.span.place) not in judged]
    diagnostics = [*of_files, *of_jobs, *of_projects]
    return [*diagnostics, *world_diagnostics(worlds, diagnostics)]


def _own_diagnostics(inputs: list[Input], worlds: list[World], target: Target) -> Iterator[Diagnostic]:
    """Yield the diagnostics of reading files, without differences between a job and its translation."""
    foreign = [job for item in inputs for job in item.foreign]
    known: set[Place] = set()
    accepted: set[Place] = set()
    limits = [job.report.limit for job in foreign if job.report.limit is not None]
    yield from limits
    for job in (job for job in foreign if job.report.limit is None):
        rejections = list(_rejections(job, target, known))
        known |= {diagnostic.span.place for diagnostic in rejections}
        warnings = (each for each in rejections if each.severity != "error" and each.code not in _FINAL_WARNINGS)
        accepted |= {diagnostic.span.place for diagnostic in warnings}
        yield from rejections
    others = (each for item in inputs for each in objects_of(item.documents))
    yield from companion_rejections(map(without_server_fields, others), OF_FILE)
    if any(world.is_native and world.has_launcher for world in worlds):  # next to which objects need not be jobs
        known |= {each.where("kind").place for item in inputs for each in objects_of(item.documents)}
    for diagnostic in (each for item in inputs for each in item.diagnostics if each not in limits):
        if diagnostic.code not in OF_TRANSLATION and diagnostic.span.place not in known - accepted:
            is_limitation = diagnostic.code in _SCHEMA_CODES and any(
                _is_validated(diagnostic.span, job, target) for job in foreign
            )
            yield _as_limitation(diagnostic) if is_limitation else diagnostic
    for fault in (fault for job in foreign for fault in job.report.faults):
        if fault.span.place not in known:
            yield fault


def _rejections(job: ForeignJob, target: Target, known: set[Place]) -> Iterator[Diagnostic]:
    """Yield what the API server rejects, and what the operator rejects; add all places of fields to `known`."""
    documents, reported = [without_server_fields(each) for each in (job.document, *job.parts)], set[Place]()
    yield from judge(documents, job.system, target, OF_FILE, reported)
    if "validation" in job.system.parts:
        known |= reported


def _is_validated(where: Span, job: ForeignJob, target: Target) -> bool:
    """Return whether a value is in an object that the API server validates, so that another rule reports its errors.

    A value in an operator's resource may make the operator or the launcher fail.
    """
    if "validation" not in job.system.parts:
        return False
    traits, document = job.system.traits, job.document.span
    version = scalar_text(job.document.get("apiVersion"))
    is_inside = where.source is document.source and document.line <= where.line <= document.end_line
    return is_inside and version == traits.api_versions[0] and bool(target.for_resource(traits, version).schema)


def _as_limitation(diagnostic: Diagnostic) -> Diagnostic:
    """Return the warning about a value that is invalid in a job of trainc, but may be valid for the API server."""
    message = Message(
        "{} in a job of trainc: the API server may accept it, but the rest is not checked", diagnostic.text
    )
    return diagnostic.replace(code=codes.NOT_CHECKED_FURTHER, severity="warning", text=message)


def _with_own_variables(job: Mapping, original: ForeignJob) -> Mapping:
    """Return a translated job with the variables of the original that its launch sets, and without those that only the
    translation has: the operator sets its own."""
    env, own = child(job, "spec", "env"), original.report.launcher_env
    where = env or own
    if where is None:
        return job
    if isinstance(env, Sequence) or isinstance(own, Sequence):
        variables = [item for item in items(env) if not _is_added(item, original.document)]
        own_env: Node = Sequence([*items(own), *variables], where.span)
    else:
        both = [each.entries if isinstance(each, Mapping) else {} for each in (own, env)]
        entries = {name: each for name, each in both[1].items() if not _is_added(each.key, original.document)}
        own_env = Mapping({**both[0], **entries}, where.span)
    return with_path(job, "spec", "env", value=own_env)


def _is_added(node: Node, document: Mapping) -> bool:
    """Return whether a node has no position of its own, and so that of the document."""
    return (node.span.line, node.span.column) == (document.span.line, document.span.column)


def without_lifecycle_defaults(job: TrainingJob, target: Target) -> TrainingJob:
    """Return the job without the restart policy and the backoff limits that it has by default on its system.

    Rules about restarts ask whether the user wants any.
    """
    lifecycle, by_default = job.lifecycle, target.system.container_restarts == "by default"
    if lifecycle.restart_policy == "OnFailure" and by_default and lifecycle.backoff_limit != 0:
        lifecycle = Lifecycle.read(without_entries(lifecycle.node, "restartPolicy"))
    shorter = Lifecycle.read(without_entries(lifecycle.node, *_LIMITS))
    replicas, once = lower_replicas(job, target), job.share_file is not None
    stated, default = (lower_failure(each, replicas, target, once) for each in (lifecycle, shorter))
    return job.replace(lifecycle=shorter if stated == default else lifecycle)
