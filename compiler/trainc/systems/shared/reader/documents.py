"""A file's documents in our language: ours as they are, other systems' jobs translated."""

from __future__ import annotations

from contextlib import suppress

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, note, warning
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Sequence, scalar_text
from trainc.span import Source
from trainc.spec.document import KIND
from trainc.systems.shared.reader.dispatch import FOREIGN_KINDS, is_foreign, translate_document
from trainc.systems.shared.reader.placeholders import unfilled_syntax

LIST_KIND = "List"  # as `kubectl get -o yaml` writes several objects
MAX_LIST_DEPTH = 5


def translate_documents(documents: list[Node], others: list[Node] | None = None) -> tuple[list[Node], list[Diagnostic]]:
    """The jobs, and what there is to say of the translation; `others` are the documents of the other files.

    What stands beside another system's job, like its etcd's Service, is no job and no mistake: it is to be applied as
    it is. Without such a job it stays, to be refused.
    """
    jobs: list[Node] = []
    documents, said = _unwrapped(documents)
    elsewhere, _ = _unwrapped(others or [])
    beside: list[Mapping] = []
    if any(is_foreign(document) for document in (*documents, *elsewhere)):
        beside = [one for one in (*documents, *elsewhere) if isinstance(one, Mapping) and _is_an_object(one)]
    here = {id(document) for document in documents}
    left = {id(one): one for one in beside if id(one) in here}
    replaced: set[int] = set()
    for document in elsewhere if left else ():
        if isinstance(document, Mapping) and is_foreign(document):
            replaced |= {id(one) for one in translate_document(document, beside)[1].replaced_objects}
    for document in documents:
        if isinstance(document, Mapping) and is_foreign(document):
            job, report = translate_document(document, beside)
            jobs += [job] if job else []
            said += report.diagnostics
            replaced |= {id(one) for one in report.replaced_objects}
        elif id(document) not in left:
            jobs.append(document)
    said += [_left(document, number in replaced) for number, document in left.items()]
    return jobs, said


def load_readable(sources: list[Source]) -> list[Node]:
    """The documents of files as far as they can be read; what is wrong with them is said where they are compiled."""
    found: list[Node] = []
    for source in sources:
        with suppress(Rejected):
            found += load(source)[0]
    return found


def foreign_documents(documents: list[Node]) -> list[Mapping]:
    """The documents that are other systems' jobs, or wrap one, with all that their users wrote; out of Lists."""
    from trainc.systems.appwrapper.reader import is_wrapper
    from trainc.systems.shared.reader.metadata import without_server_fields

    found: list[Mapping] = []
    for document in documents:
        if isinstance(document, Mapping) and (is_foreign(document) or is_wrapper(document)):
            found.append(without_server_fields(document))
        elif isinstance(document, Mapping):
            found += foreign_documents(_items(document))
    return found


def unfilled_template(source: Source, said: list[Diagnostic]) -> Diagnostic | None:
    """What to say in place of the syntax errors of a text that something else has to fill in first."""
    from trainc.systems.appwrapper.reader import KIND as WRAPPER

    others = any(f"{quote}{kind}" in source.text for kind in (*FOREIGN_KINDS, WRAPPER) for quote in (" ", '"', "'"))
    return unfilled_syntax(source, said, others)


def _unwrapped(documents: list[Node], depth: int = 0) -> tuple[list[Node], list[Diagnostic]]:
    """With a List's items and an AppWrapper's components in their place, if one of them is a job."""
    from trainc.systems.appwrapper.reader import is_wrapper, unwrap

    found: list[Node] = []
    said: list[Diagnostic] = []
    for document in documents:
        inside: list[Node] = []
        lost: list[Diagnostic] = []
        if isinstance(document, Mapping) and is_wrapper(document):
            inside, lost = unwrap(document)
        elif isinstance(document, Mapping):
            inside, lost = _unwrapped(_items(document) if depth < MAX_LIST_DEPTH else [], depth + 1)
        holds_a_job = any(is_foreign(one) for one in inside)
        found += inside if holds_a_job else [document]
        said += lost if holds_a_job else []
    return found, said


def _items(document: Mapping) -> list[Node]:
    items = document.get("items") if scalar_text(document.get("kind")) == LIST_KIND else None
    return list(items.items) if isinstance(items, Sequence) else []


def _left(document: Mapping, replaced: bool) -> Diagnostic:
    what, span = f"`{scalar_text(document.get('kind'))}/{_name(document)}`", document.where("kind")
    if replaced:
        return note(codes.IMPORT_CHANGED_FIELD, f"{what} beside the job is needed no more", span)
    return warning(
        codes.IMPORT_DROPPED_FIELD, f"{what} beside the job is not carried over", span, help="apply it as it is"
    )


def _is_an_object(document: Mapping) -> bool:
    kind = scalar_text(document.get("kind"))
    return kind not in ("", KIND) and "apiVersion" in document.entries and not is_foreign(document)


def _name(document: Mapping) -> str:
    metadata = document.get("metadata")
    return scalar_text(metadata.get("name")) if isinstance(metadata, Mapping) else ""
