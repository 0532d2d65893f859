"""The other systems' jobs that trainc reads, by what they call themselves."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import Mapping, Node, scalar_text
from trainc.systems.registry import System, of_kind
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.placeholders import unfilled_variables
from trainc.systems.shared.reader.report import TranslationReport


def is_foreign(document: Node) -> bool:
    """Whether a document is another system's job, whatever its version and however it is spelt."""
    return isinstance(document, Mapping) and _system(document) is not None


def translate_document(
    document: Mapping, beside: list[Mapping] | None = None
) -> tuple[Mapping | None, TranslationReport]:
    """The document in our language, and what there is to say; None when it can't be understood.

    `beside` are the objects that stand beside it in the file.
    """
    report = TranslationReport(beside)
    system = _system(document)
    assert system is not None
    kind, versions = system.kind, system.traits.api_versions
    foreign = ForeignMapping(document, report)
    written, version = foreign.string("kind"), foreign.string("apiVersion")
    if written is not None and written != kind:
        report.add_change(f"the kind is called {kind}", written.span)
    owner = system.traits.namesakes.get(version.partition("/")[0]) if version else None
    if version is not None and owner is not None:
        message = f"this {kind} is {owner}, which trainc doesn't read"
        report.diagnostics.append(error(codes.IMPORT_UNSUPPORTED_SYSTEM, message, version.span, expected=versions[0]))
        return None, report
    if version is None or version not in versions:
        said = f"`{version}` is" if version else "there is"
        report.add_error(
            f"{said} no version of {kind} that trainc reads", document.where("apiVersion"), expected=versions[0]
        )
        return None, report
    unfilled = unfilled_variables(document)
    if unfilled is not None:
        report.diagnostics.append(unfilled)
        return None, report
    job: Mapping | None = system.part("reader").translate(foreign)
    for path, span in foreign.unconsumed_paths() if job is not None else ():
        report.add_dropped(path, span)
    return (None if any(_is_error(said) for said in report.diagnostics) else job), report


def _system(document: Mapping) -> System | None:
    system = of_kind(scalar_text(document.get("kind")), scalar_text(document.get("apiVersion")))
    return system if system is not None and "reader" in system.parts else None


def _is_error(said: Diagnostic) -> bool:
    return said.severity == "error"
