"""Values over those of job documents: `--values FILE` and the environments of a project file."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.schema.fields import UnknownField, field, field_at
from trainc.schema.merge import Path, is_null, merge_jobs
from trainc.schema.paths import dotted
from trainc.secrets.mask import redact_excerpts
from trainc.source.load import load
from trainc.source.node import Change, Entry, Mapping, Node, Scalar
from trainc.span import Source

_PATCH = ("spec", "podTemplate")  # a patch of the pod, in which null removes a field of the pod


class ValuesFile(Change):
    """File of values: fields of a job, of which others may be missing."""

    def __init__(self, source: Source) -> None:
        """Parse the file. Raises Rejected unless it is one mapping, or empty, and for `null` in an unknown field."""
        self.source = source
        redact_excerpts(source)  # the files of a run whose excerpts go to logs are those of jobs
        documents, problems = load(source)
        if problems:
            raise Rejected(*problems)
        if len(documents) > 1:
            where = documents[1].span.first
            raise Rejected(error(codes.INVALID_VALUES_FILE, "a file of values has one YAML document", where))
        values = documents[0] if documents else Mapping({}, source.span_at(0))
        if not isinstance(values, Mapping):
            message = "a file of values must be a mapping"
            help_ = "write fields of a job as in its file: `spec: {workers: 8}`"
            raise Rejected(error(codes.INVALID_VALUES_FILE, message, values.span.first, help=help_))
        unknown = list(unknown_removals(values))
        if unknown:
            raise Rejected(*unknown)
        self.values = values

    def apply(self, node: Node) -> Node:
        """Return the document with the values over its own."""
        return with_values(node, self.values)


def with_values(document: Node, values: Mapping) -> Node:
    """Return a document with values over its own; null removes a field. Sections keep their positions in the document.

    Mappings are merged, and lists replaced.
    """
    if not isinstance(document, Mapping):
        return document
    present = _without_missing(values, document, ())
    merged = merge_jobs(document, present)
    return _at_positions_of(merged, document)


def _without_missing(values: Mapping, document: Node | None, path: Path) -> Mapping:
    """Return the values without null in fields that the document lacks: removing a missing field changes nothing."""
    entries: dict[str, Entry] = {}
    for name, entry in values.entries.items():
        own = document.get(name) if isinstance(document, Mapping) else None
        inner = (*path, name)
        if isinstance(entry.value, Mapping) and entry.value.entries:
            entries[name] = Entry(entry.key, _without_missing(entry.value, own, inner))
        elif own is not None or not is_null(entry.value) or inner[:2] == _PATCH:
            entries[name] = entry
    return Mapping(entries, values.span)


def _at_positions_of(merged: Node, document: Node) -> Node:
    """Return a tree in which mappings that the document has too are where they are in the document."""
    if not isinstance(merged, Mapping) or not isinstance(document, Mapping):
        return merged
    entries = dict(merged.entries)
    for name, entry in merged.entries.items():
        own = document.entries.get(name)
        if own is not None and isinstance(own.value, Mapping) and isinstance(entry.value, Mapping):
            entries[name] = Entry(own.key, _at_positions_of(entry.value, own.value))
    return Mapping(entries, document.span)


def unknown_removals(values: Mapping, path: Path = ()) -> Iterator[Diagnostic]:
    """Yield errors of null in fields that the language does not have: nothing else would report them."""
    for name, entry in values.entries.items():
        inner = (*path, name)
        if isinstance(entry.value, Mapping):
            yield from unknown_removals(entry.value, inner)
        elif isinstance(entry.value, Scalar) and is_null(entry.value) and field_at(inner) is None:
            try:
                field(dotted(inner))
                suggestion = None
            except UnknownField as problem:
                suggestion = problem.suggestion
            help_ = f"did you mean `{suggestion}`?" if suggestion else "remove it"
            message = f"unknown field `{dotted(inner)}`: there is nothing to remove"
            yield error(codes.UNKNOWN_FIELD, message, entry.key.span, help=help_)
