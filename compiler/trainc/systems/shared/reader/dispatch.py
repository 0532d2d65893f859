"""Find the reader of a document and translate it."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.source.node import Mapping, Node, scalar_text
from trainc.systems.registry import System, of_kind
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.placeholders import unfilled_variables
from trainc.systems.shared.reader.report import TranslationReport


def is_foreign(document: Node) -> bool:
    """Return whether a document is another system's job, of any version and in any spelling of its kind."""
    return isinstance(document, Mapping) and _system(document) is not None


def translate_document(
    document: Mapping, other_objects: list[Mapping] | None = None
) -> tuple[Mapping | None, TranslationReport]:
    """Return the TrainingJob and the report; no job if the report has errors.

    `other_objects` are the objects of the input that are not jobs.
    """
    report = TranslationReport(other_objects)
    system = _system(document)
    assert system is not None
    kind, versions = system.kind, system.traits.api_versions
    foreign = ForeignMapping(document, report)
    written, version = foreign.string("kind"), foreign.string("apiVersion")
    if written is not None and written != kind:
        report.add_change(f"the kind is spelled `{kind}`", written.span)
    owner = system.traits.namesakes.get(version.partition("/")[0]) if version else None
    if version is not None and owner is not None:
        message = f"this {kind} is {owner}, which trainc does not support"
        report.diagnostics.append(error(codes.IMPORT_UNSUPPORTED_SYSTEM, message, version.span, expected=versions[0]))
        return None, report
    if version is None or version not in versions:
        message = f"`{version}` is not a supported version of {kind}" if version else "the job has no `apiVersion`"
        report.add_error(message, document.where("apiVersion"), expected=versions[0])
        return None, report
    unfilled = unfilled_variables(document)
    if unfilled is not None:
        report.diagnostics.append(unfilled)
        return None, report
    job: Mapping | None = system.part("reader").translate(foreign)
    for path, span in foreign.unconsumed_paths() if job is not None else ():
        report.add_dropped(path, span)
    return (None if report.failed else job), report


def _system(document: Mapping) -> System | None:
    system = of_kind(scalar_text(document.get("kind")), scalar_text(document.get("apiVersion")))
    return system if system is not None and "reader" in system.parts else None
