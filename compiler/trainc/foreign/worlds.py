"""Check that the pods of manifests can form one world: the plan of Kubernetes' own jobs and of operators' jobs.

Of an operator's job the plan is asked only if no rule has found an error: rules know the position of a fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.compiled import Input
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.diagnostics.finding import Finding
from trainc.judge.position import span_at
from trainc.plan.fields import Object, api_group, identity, text
from trainc.plan.group_jobs import group_jobs
from trainc.plan.models import native_model, runs_workers, unknown_workloads
from trainc.plan.plan import Plan, plan
from trainc.record import Record
from trainc.source.node import Mapping, all_mappings, mappings, plain, scalar_text, start
from trainc.span import Span
from trainc.systems.shared.reader.documents import objects_of
from trainc.systems.shared.reader.pod_trees import command_words
from trainc.systems.shared.reader.tree import contains

# Faults whose position may be in another object: a runtime has the endpoint.
_OF_OBJECTS = (codes.REJECTED_BY_OPERATOR, codes.UNHOSTED_ENDPOINT)
Key = tuple[str, str, str, str]  # kind, name, API group and namespace


class World(Record):
    """Plan of a job, all documents of the input, and those that create its workers.

    `is_native` if Kubernetes itself creates them, `has_launcher` if one of them starts a launcher.
    """

    plan: Plan
    documents: list[Mapping]
    workloads: list[Mapping]
    is_native: bool
    has_launcher: bool


def planned_worlds(inputs: list[Input]) -> list[World]:
    """Return the worlds of all jobs of the inputs that are manifests."""
    documents = {_key(plain(each)): each for item in inputs for each in objects_of(item.documents)}
    worlds = []
    for job in group_jobs([plain(each) for (_, name, *_), each in documents.items() if name]):
        resources = [each for each in job if runs_workers(each) and _key(each) in documents]
        if resources:
            is_native = any(native_model(each) is not None for each in resources)
            others = list(unknown_workloads(job))  # such as a CronJob in the same directory: no part of this world
            world = plan([each for each in job if each not in others])
            workloads = [documents[_key(each)] for each in resources]
            has_launcher = any(worker.launch.has_launcher for worker in world.workers)
            worlds.append(
                World(
                    plan=world,
                    documents=list(documents.values()),
                    workloads=workloads,
                    is_native=is_native,
                    has_launcher=has_launcher,
                )
            )
    return worlds


def world_diagnostics(worlds: list[World], diagnostics: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the faults of all worlds whose workloads have no error yet."""
    errors = [each.span.place for each in diagnostics if each.severity == "error"]
    for world in worlds:
        if any(contains(each.span.place, place) for place in errors for each in world.workloads):
            continue
        undefined: set[str] = set()  # references of which an error is reported: their other effects have one cause
        for finding in world.plan.findings:
            document = _document(finding, world)
            if any(contains(document.span.place, place) for place in errors):
                continue  # it is not readable, or another fault of it is known
            arguments = list(_arguments(finding, document))
            references = {each for each in finding.about if each.startswith("$(")}
            is_repeated = bool(references) and references <= undefined
            is_new = not is_repeated and not _is_known(finding, arguments, diagnostics)
            if is_new and (finding.is_fatal or world.is_native):
                undefined |= references
                severity = error if finding.is_fatal else warning
                where = arguments[0] if arguments else _program(document)
                yield severity(codes.NO_COMMON_WORLD, finding.message, where, help=finding.help)


def _is_known(finding: Finding, arguments: list[Span], diagnostics: list[Diagnostic]) -> bool:
    """Return whether a rule has reported the same fault: of an argument there, else anywhere."""
    reported = [each.span.place for each in diagnostics if each.code is finding.code]
    if finding.code in _OF_OBJECTS:
        return bool(reported)
    return any(contains(argument.place, place) for argument in arguments for place in reported)


def _document(finding: Finding, world: World) -> Mapping:
    """Return the object that a finding names, else the first that creates workers."""
    kind, _, name = finding.where.rpartition("/")
    candidates = [each for each in world.documents if _key(plain(each))[1] == name]
    return next((each for each in candidates if kind in ("", _key(plain(each))[0])), world.workloads[0])


def _arguments(finding: Finding, document: Mapping) -> Iterator[Span]:
    """Yield the positions of the arguments, values or hosts that a finding is about."""
    for container in _containers(document):
        words = command_words(container)
        texts = list(map(scalar_text, words))
        for option, value in zip(finding.about, [*finding.about[1:], ""], strict=False):
            for index, word in enumerate(words):
                if texts[index] == option and texts[index + 1 : index + 2] == [value]:
                    yield words[index + 1].span
                elif texts[index] in (option, f"{option}={value}"):
                    yield word.span
    for container in _containers(document):
        variables = (each.get("value") for each in mappings(container.get("env")))
        values = [*command_words(container), *(each for each in variables if each is not None)]
        yield from (each.span for each in values if _host(scalar_text(each)) in finding.about)


def _host(text: str) -> str:
    """Return the host in an argument with an option and a port, or in a variable's value."""
    return text.rpartition("=")[2].partition(":")[0]


def _program(document: Mapping) -> Span:
    """Return the position of the first container's command line, else of its name, else of the document's."""
    for container in _containers(document):
        words = command_words(container)
        return start(words[0]) if words else container.where("name")
    return span_at(document, ("metadata", "name"))


def _containers(document: Mapping) -> Iterator[Mapping]:
    for each in all_mappings(document):
        yield from mappings(each.get("containers"))


def _key(manifest: Object) -> Key:
    return (*identity(manifest), api_group(manifest), text(manifest, "metadata", "namespace"))
