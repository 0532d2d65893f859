"""Check that the pods of manifests can form one world: the plan of Kubernetes' own jobs and of operators' jobs.

Of an operator's job the plan is asked only if no rule has found an error: rules know the position of a fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.foreign.position import span_at
from trainc.frontend import Input
from trainc.plan.fields import Object, identity, text
from trainc.plan.group_jobs import group_jobs
from trainc.plan.models import controls_workers, native_model, runs_workers
from trainc.plan.plan import Plan, plan
from trainc.plan.world import Finding
from trainc.record import Record
from trainc.source.node import Mapping, Node, Sequence, mappings, plain
from trainc.source.tree import start
from trainc.span import Span
from trainc.systems.shared.reader.documents import objects_of
from trainc.systems.shared.reader.tree import contains

# Objects whose faults do not keep the workers from training.
_SERVING = ("Service/", "HorizontalPodAutoscaler/")
Key = tuple[str, str, str]  # kind, name and namespace


class World(Record):
    """Plan of a job, all documents of the input, and those that create its workers.

    `is_native` if Kubernetes itself creates them, `is_job` if the documents are more than Pods without a launcher.
    """

    plan: Plan
    documents: list[Mapping]
    workloads: list[Mapping]
    is_native: bool
    is_job: bool


def planned_worlds(inputs: list[Input]) -> list[World]:
    """Return the worlds of all jobs of the inputs that are manifests."""
    documents = {_key(plain(each)): each for item in inputs for each in objects_of(item.documents)}
    worlds = []
    for job in group_jobs([plain(each) for (_, name, _), each in documents.items() if name]):
        resources = [each for each in job if runs_workers(each) and _key(each) in documents]
        if resources:
            is_native = any(native_model(each) is not None for each in resources)
            workloads, world = [documents[_key(each)] for each in resources], plan(job)
            has_launcher = any(worker.launch.has_launcher for worker in world.workers)
            is_job = has_launcher or any(map(controls_workers, resources))
            worlds.append(
                World(
                    plan=world,
                    documents=list(documents.values()),
                    workloads=workloads,
                    is_native=is_native,
                    is_job=is_job,
                )
            )
    return worlds


def world_diagnostics(worlds: list[World], diagnostics: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the faults of all worlds whose workloads have no error yet."""
    errors = [each.span.place for each in diagnostics if each.severity == "error"]
    for world in worlds:
        if any(contains(each.span.place, place) for place in errors for each in world.workloads):
            continue
        for finding in world.plan.findings:
            is_fatal = not (finding.is_harmless or finding.where.startswith(_SERVING))
            if is_fatal or world.is_native:
                severity = error if is_fatal else warning
                yield severity(codes.NO_COMMON_WORLD, finding.message, _where(finding, world))


def _where(finding: Finding, world: World) -> Span:
    """Return the position of the object that a finding names: its program, or its name; else the workers' program."""
    kind, _, name = finding.where.rpartition("/")
    named = [each for each in world.documents if _key(plain(each))[1] == name]
    return _program(next((each for each in named if kind in ("", _key(plain(each))[0])), world.workloads[0]))


def _program(document: Mapping) -> Span:
    """Return the position of the first container's command line, else of its name, else of the document's."""
    for container in _containers(document):
        for field in ("command", "args"):
            words = container.get(field)
            if isinstance(words, Sequence) and words.items:
                return start(words.items[0])
        return container.where("name")
    return span_at(document, ("metadata", "name"))


def _containers(node: Node) -> Iterator[Mapping]:
    if isinstance(node, Mapping):
        yield from mappings(node.get("containers"))
        for entry in node.entries.values():
            yield from _containers(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _containers(item)


def _key(manifest: Object) -> Key:
    return (*identity(manifest), text(manifest, "metadata", "namespace"))
