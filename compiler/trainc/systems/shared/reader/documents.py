"""A file's documents in our language: ours as they are, other systems' jobs translated."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, note, warning
from trainc.source.node import Mapping, Node, Sequence, scalar_text
from trainc.span import Source
from trainc.spec.document import KIND
from trainc.systems.registry import READABLE_KINDS
from trainc.systems.shared.reader.dispatch import is_foreign, translate_document
from trainc.systems.shared.reader.placeholders import unfilled_syntax

LIST_KIND = "List"  # as `kubectl get -o yaml` writes several objects
MAX_LIST_DEPTH = 5


def translate_documents(files: list[list[Node]]) -> list[tuple[list[Node], list[Diagnostic]]]:
    """Return the jobs of each file, and the diagnostics of their translation; every document is translated once.

    Objects next to another system's job, in its file or in another (like the Service of its etcd), are neither jobs nor
    mistakes: they are to be applied as they are. In files without such a job they stay, to be rejected.
    """
    unwrapped = [_unwrapped(documents) for documents in files]
    documents = [document for nodes, _ in unwrapped for document in nodes]
    foreign = [document for document in documents if isinstance(document, Mapping) and is_foreign(document)]
    companions = [node for node in documents if isinstance(node, Mapping) and _is_an_object(node)] if foreign else []
    companion_ids = set(map(id, companions))
    translations = {id(document): translate_document(document, companions) for document in foreign}
    replaced = {id(node) for _, report in translations.values() for node in report.replaced_objects}
    results = []
    for nodes, problems in unwrapped:
        jobs: list[Node] = []
        diagnostics = list(problems)
        for document in nodes:
            if id(document) in translations:
                job, report = translations[id(document)]
                jobs += [job] if job else []
                diagnostics += report.diagnostics
            elif id(document) not in companion_ids:
                jobs.append(document)
        left = [node for node in nodes if isinstance(node, Mapping) and id(node) in companion_ids]
        results.append((jobs, diagnostics + [_left(node, id(node) in replaced) for node in left]))
    return results


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

    others = any(f"{quote}{kind}" in source.text for kind in (*READABLE_KINDS, WRAPPER) for quote in (" ", '"', "'"))
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
