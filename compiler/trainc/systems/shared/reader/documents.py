"""Translate the documents of all input files: TrainingJobs stay, jobs of other systems are translated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, note, warning
from trainc.diagnostics.remedy import replace
from trainc.ir.job import InputObjects
from trainc.record import Record
from trainc.source.node import Mapping, Node, scalar_text
from trainc.span import Source
from trainc.spec.job import TrainingJob
from trainc.systems.appwrapper.reader import is_wrapper, unwrap
from trainc.systems.registry import System, of_kind
from trainc.systems.shared.reader.etcd_server import input_objects
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_document import without_server_fields
from trainc.systems.shared.reader.own_command import debug_annotation, report_unread_annotation
from trainc.systems.shared.reader.own_fields import read_own
from trainc.systems.shared.reader.own_output import is_own, without_own_additions
from trainc.systems.shared.reader.owned_objects import report_owned, without_owned
from trainc.systems.shared.reader.report import TranslationReport, report_excess
from trainc.systems.shared.reader.templates import unrendered_template
from trainc.systems.shared.reader.tree import child, items
from trainc.well_known import JOB_LABEL, KIND, is_own_group

LIST_KIND = "List"  # of `kubectl get -o yaml` with several objects
MAX_LIST_DEPTH = 5
# Differences between the roles of a job, which are no faults of it.
_ROLES_DIFFER = (codes.ROLE_PROGRAMS_DIFFER, codes.CUSTOM_COMMAND)


class ForeignJob(Record):
    """Job of another system: its document, and the TrainingJob as a tree and as a spec, None if it has none.

    The job exists also if trainc cannot express what its roles do differently. `translation` is the job without
    overrides. `parts` are other objects of the input that are part of the job, `companions` those that the rules see,
    `own_objects` those that trainc emitted for the job.
    """

    system: System
    document: Mapping
    job: Node | None
    report: TranslationReport
    parts: list[Mapping] = []
    companions: InputObjects = InputObjects()
    own_objects: list[Mapping] = []
    translation: Mapping | None = None
    spec: TrainingJob | None = None

    @property
    def as_emitted(self) -> ForeignJob:
        """The job in a system that trainc emits it for."""
        document = self.report.equivalent
        system = _system(document) if document is not None else None
        return self if system is None else self.replace(system=system, document=document, parts=[])


class TranslatedFile(NamedTuple):
    """Jobs of a file, diagnostics of the translation, and the other systems' jobs in the file."""

    jobs: list[Node]
    diagnostics: list[Diagnostic]
    foreign: list[ForeignJob]


def is_foreign(document: Node) -> bool:
    """Return whether a document is another system's job, of any version and in any spelling of its kind."""
    return isinstance(document, Mapping) and _system(document) is not None


def translate_document(
    document: Mapping, other_objects: list[Mapping] | None = None, peers: list[Mapping] | None = None
) -> tuple[Mapping | None, TranslationReport]:
    """Return the TrainingJob and the report; no job if the report has errors.

    `other_objects` are the objects of the input that are not jobs, `peers` the other documents of the same job.
    """
    report = TranslationReport(other_objects, peers)
    system = _system(document)
    assert system is not None
    kind, versions = system.kind, system.traits.api_versions
    report.is_own = is_own(document)
    report.debug_annotation = debug_annotation(document) if report.is_own else None
    foreign = ForeignMapping(_without_own_additions(document, system, report), report)
    spelling, version = foreign.string("kind"), foreign.string("apiVersion")
    if spelling is not None and spelling != kind:
        report.add_change(f"the kind is spelled `{kind}`", spelling.span)
        message = f"the API server knows no kind `{spelling}`"
        where, remedy = spelling.span, replace(spelling.span, kind, safe=True)
        report.faults.append(error(codes.UNKNOWN_KIND, message, where, help=f"write `{kind}`", remedy=remedy))
    owner = system.traits.namesakes.get(version.partition("/")[0]) if version else None
    if version is not None and owner is not None:
        message = f"this {kind} is {owner}, which trainc does not support"
        help_ = f"rewrite it as {system.traits.a_kind} of {system.traits.operator}"
        fault = error(codes.IMPORT_UNSUPPORTED_SYSTEM, message, version.span, help=help_, expected=versions[0])
        report.diagnostics.append(fault)
        return None, report
    if version is None or version not in versions:
        message = f"`{version}` is not a supported version of {kind}" if version else "the job has no `apiVersion`"
        former = system.traits.former_versions.get(version or "")
        message += f": {former}" if former else ""
        report.add_error(message, document.where("apiVersion"), expected=versions[0])
        return None, report
    report_excess(document, report)
    if report.limit is not None:
        return None, report
    report.job = system.part("reader").translate(foreign)
    if report.job is not None:
        foreign.drop_unconsumed()
    report_unread_annotation(report)
    if report.job is not None and not report.failed and foreign.node is not document and "objects" in system.parts:
        report.job = read_own(report.job, document, report, system)
    return (None if report.failed else report.job), report


def _without_own_additions(document: Mapping, system: System, report: TranslationReport) -> Mapping:
    """Return an operator's object without trainc's additions."""
    if not system.traits.operator or not report.is_own:
        return document
    labels = child(document, "metadata", "labels")
    assert isinstance(labels, Mapping)
    report.add_change(
        "what trainc has added is left out, such as its labels: `trainc compile` adds it again", labels.where(JOB_LABEL)
    )
    return without_own_additions(document)


def _system(document: Mapping) -> System | None:
    version = scalar_text(document.get("apiVersion"))
    if is_own_group(version):  # a misspelled TrainingJob
        return None
    system = of_kind(scalar_text(document.get("kind")), version)
    if system is None or "reader" not in system.parts:
        return None
    trains = getattr(system.part("reader"), "trains", None)
    is_own = trains is None or (version.partition("/")[0] in system.groups and trains(document))
    return system if is_own else None


def translate_documents(files: list[list[Node]]) -> list[TranslatedFile]:
    """Translate the jobs of each file; every document is translated once.

    Other objects in the input, like the Service of an etcd, are reported, to be applied separately. If the input has no
    job of another system, they stay documents, which are rejected later.
    """
    unwrapped = [_unwrapped(documents) for documents in files]
    documents = [document for nodes, _ in unwrapped for document in nodes]
    every = [document for document in documents if isinstance(document, Mapping) and is_foreign(document)]
    foreign = without_owned(every)
    others = [node for node in documents if isinstance(node, Mapping) and _is_other_object(node)] if foreign else []
    groups = _groups(foreign)
    others += [peer for _, *peers in groups for peer in peers]
    other_ids = set(map(id, others))
    translations = {id(first): translate_document(first, others, peers) for first, *peers in groups}
    owned = {id(node) for node in every} - {id(node) for node in foreign}
    replaced = {id(node) for _, report in translations.values() for node in report.replaced_objects}
    parts = {id(node) for _, report in translations.values() for node in report.parts}
    results = []
    for nodes, problems in unwrapped:
        jobs: list[Node] = []
        diagnostics = list(problems)
        for document in nodes:
            if id(document) in translations:
                job, report = translations[id(document)]
                jobs += [job] if job else []
                diagnostics += report.diagnostics
            elif id(document) in owned and isinstance(document, Mapping):
                diagnostics.append(report_owned(document))
            elif id(document) not in other_ids:
                jobs.append(document)
        left = [node for node in nodes if isinstance(node, Mapping) and id(node) in other_ids - (parts - replaced)]
        diagnostics += [report_left(node, id(node) in replaced) for node in left]
        reports = [(node, translations[id(node)][1]) for node in nodes if id(node) in translations]
        own = [_foreign_job(node, report, others) for node, report in reports]
        results.append(TranslatedFile(jobs, diagnostics, own))
    return results


def _groups(documents: list[Mapping]) -> list[list[Mapping]]:
    """Return the documents of each job: a kind whose objects are single workers names those of one job."""
    groups: dict[object, list[Mapping]] = {}
    for document in documents:
        system = _system(document)
        assert system is not None
        group = getattr(system.part("reader"), "group", None)
        key = id(document) if group is None else (system.name, *group(document))
        groups.setdefault(key, []).append(document)
    return list(groups.values())


def _foreign_job(document: Node, report: TranslationReport, others: list[Mapping]) -> ForeignJob:
    assert isinstance(document, Mapping)
    system = _system(document)
    assert system is not None
    errors = [diagnostic.code for diagnostic in report.diagnostics if diagnostic.severity == "error"]
    job = report.job if all(code in _ROLES_DIFFER for code in errors) else None
    return ForeignJob(
        system=system,
        document=document,
        job=job,
        report=report,
        parts=report.parts,
        companions=input_objects(others),
        own_objects=report.own_objects,
        translation=job,
    )


def foreign_documents(documents: list[Node]) -> list[Mapping]:
    """Return the jobs of other systems and their wrappers, out of Lists, without fields that the server wrote."""
    jobs: list[Mapping] = []
    for document in documents:
        if isinstance(document, Mapping) and (is_foreign(document) or is_wrapper(document)):
            jobs.append(without_server_fields(document))
        else:
            jobs += foreign_documents(_list_items(document))
    return jobs


def objects_of(documents: list[Node], depth: int = 0) -> Iterator[Mapping]:
    """Yield the Kubernetes objects of documents, out of Lists and AppWrappers, and no job files."""
    for document in documents:
        if isinstance(document, Mapping) and is_wrapper(document):
            yield from objects_of(unwrap(document)[0], depth)
        elif inner := _list_items(document):
            yield from objects_of(inner, depth + 1) if depth < MAX_LIST_DEPTH else ()
        elif isinstance(document, Mapping) and (is_foreign(document) or _is_other_object(document)):
            yield document


def report_template(source: Source, documents: list[Node], diagnostics: list[Diagnostic]) -> Diagnostic | None:
    """Return an error that replaces all diagnostics of an unrendered template, None for any other file."""
    return unrendered_template(source, documents, foreign_documents, diagnostics)


def _unwrapped(documents: list[Node], depth: int = 0) -> tuple[list[Node], list[Diagnostic]]:
    """Return the documents with the contents of Lists and AppWrappers that contain a job in their place."""
    nodes: list[Node] = []
    diagnostics: list[Diagnostic] = []
    for document in documents:
        if isinstance(document, Mapping) and is_wrapper(document):
            inner, problems = unwrap(document)
        else:
            inner, problems = _unwrapped(_list_items(document), depth + 1) if depth < MAX_LIST_DEPTH else ([], [])
        has_job = any(map(is_foreign, inner))
        nodes += inner if has_job else [document]
        diagnostics += problems if has_job else []
    return nodes, diagnostics


def _list_items(document: Node) -> list[Node]:
    return items(child(document, "items")) if scalar_text(child(document, "kind")) == LIST_KIND else []


def report_left(document: Mapping, replaced: bool = False) -> Diagnostic:
    """Return the diagnostic of an object that is no part of the translated job."""
    name = f"`{scalar_text(document.get('kind'))}/{scalar_text(child(document, 'metadata', 'name'))}`"
    span = document.where("kind")
    if replaced:
        return note(codes.IMPORT_CHANGED_FIELD, f"{name} is no longer needed", span)
    message = f"{name} is not a training job, and is not carried over"
    return warning(codes.IMPORT_DROPPED_FIELD, message, span, help="apply it separately")


def is_other_object(document: Node) -> bool:
    """Return whether a document is an object of Kubernetes that is no job, and no misspelled TrainingJob."""
    version = scalar_text(child(document, "apiVersion"))
    return bool(version) and not is_own_group(version) and _is_other_object(document)


def _is_other_object(document: Node) -> bool:
    kind = scalar_text(child(document, "kind"))
    return kind not in ("", KIND) and child(document, "apiVersion") is not None and not is_foreign(document)
