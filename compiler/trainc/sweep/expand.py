"""Expand a document with `matrix` into the documents of its jobs, before they are checked against the schema."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, Variant, error
from trainc.record import Record
from trainc.schema.accept import accepts
from trainc.schema.documents import JOB, document
from trainc.schema.hints import folded
from trainc.source.node import Entry, Mapping, Node, Scalar
from trainc.span import Span
from trainc.sweep.combinations import RESERVED, Combination, combine
from trainc.sweep.expressions import MissingValue, NotText, fill, invalid_expressions, scalars
from trainc.sweep.limit import LIMIT, suspended
from trainc.sweep.names import collisions, job_name, name_of, secrets_in_names
from trainc.sweep.uses import large_texts, unused_variables

MATRIX = "matrix"


class Expansion(Record):
    """Jobs of a document, each with its variant, and warnings about the matrix."""

    jobs: list[tuple[Mapping, Variant]]
    diagnostics: list[Diagnostic]


def expand(node: Mapping) -> Expansion:
    """Return the jobs of a document with `matrix`. Raises Rejected with all errors of the matrix and its use."""
    where, matrix = node.where(MATRIX), node.get(MATRIX)
    misspelled = list(_misspelled(matrix)) if isinstance(matrix, Mapping) else []
    if misspelled:
        raise Rejected(*misspelled)
    if not accepts(matrix or node, document(JOB)["definitions"]["Matrix"]) or not isinstance(matrix, Mapping):
        from trainc.schema.explain import explain_field

        raise Rejected(*explain_field(node, MATRIX))
    nested = list(_nested(matrix))
    if nested:
        raise Rejected(*nested)
    combinations, warnings = combine(matrix, where)
    names = list(dict.fromkeys(name for each in combinations for name in each))
    template = Mapping({key: entry for key, entry in node.entries.items() if key != MATRIX}, node.span)
    problems = [
        *secrets_in_names(combinations),
        *invalid_expressions(template, names),
        *large_texts(template, combinations),
    ]
    if problems:
        raise Rejected(*problems)
    documents = _documents(template, combinations, where)
    limit = matrix.where(LIMIT) if LIMIT in matrix.entries else None
    variants = [
        (job, Variant(name=_name(job), count=len(documents), matrix=where, limit=limit, is_suspended=is_suspended))
        for job, is_suspended in suspended(documents, matrix.get(LIMIT))
    ]
    return Expansion(jobs=variants, diagnostics=[*warnings, *unused_variables(template, matrix)])


def _misspelled(matrix: Mapping) -> Iterator[Diagnostic]:
    """Yield errors of variables that are meant as `maxParallel`, which has another spelling in GitHub Actions."""
    names = {folded(name): name for name in RESERVED}
    for name, entry in matrix.entries.items():
        meant = names.get(folded(name))
        if meant and name not in RESERVED:
            help_ = f"write `{meant}`"
            yield error(codes.INVALID_MATRIX, f"`{name}` is no name for a variable", entry.key.span, help=help_)


def _nested(matrix: Mapping) -> Iterator[Diagnostic]:
    for scalar, _ in scalars(matrix):
        message = "a matrix cannot contain expressions"
        yield error(codes.INVALID_EXPRESSION, message, scalar.span, help="write the value")


def _documents(template: Mapping, combinations: list[Combination], where: Span) -> list[Mapping]:
    """Return the document of each combination of the matrix at a position.

    Raises Rejected for a missing value, and for jobs of the same name.
    """
    documents: list[Mapping] = []
    names: list[Scalar] = []
    unchanged: set[int] = set()
    texts: set[int] = set()  # nodes of the metadata without an expression
    problems: list[Diagnostic] = []
    for combination in combinations:
        try:
            document = _document(template, combination, unchanged, texts)
        except MissingValue as problem:
            path = ".".join(problem.path)
            message = f"a combination has no `matrix.{path}`: {_described(combination)}"
            problems.append(
                error(codes.INVALID_EXPRESSION, message, problem.span, help=f"add `{path}` by an item of `include`")
            )
            continue
        except NotText as problem:
            message = f"`matrix.{'.'.join(problem.path)}` is no text, but part of one"
            help_ = "make the expression the whole value, or name a field of it"
            problems.append(error(codes.INVALID_EXPRESSION, message, problem.span, help=help_))
            continue
        name = name_of(document)
        documents.append(document)
        names += [name] if name else []
    name = name_of(template)
    if name and len(names) == len(combinations):
        problems += collisions(names, combinations, name, where)
    if problems:
        raise Rejected(*_first_of_each_place(problems))
    return documents


def _document(template: Mapping, combination: Combination, unchanged: set[int], texts: set[int]) -> Mapping:
    def look_up(path: tuple[str, ...]) -> Node | None:
        value = combination.get(path[0])
        for key in path[1:]:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    entries = {
        key: Entry(entry.key, fill(entry.value, look_up, unchanged))
        for key, entry in template.entries.items()
        if key != "metadata"
    }
    metadata, name = template.get("metadata"), name_of(template)
    if isinstance(metadata, Mapping):
        # Every field of the metadata is a string.
        own = {key: Entry(each.key, fill(each.value, look_up, texts, str)) for key, each in metadata.entries.items()}
        if name is not None:
            own["name"] = Entry(own["name"].key, job_name(name, combination, look_up))
        entries["metadata"] = Entry(template.entries["metadata"].key, Mapping(own, metadata.span))
    return Mapping({key: entries.get(key, entry) for key, entry in template.entries.items()}, template.span)


def _name(job: Mapping) -> str:
    name = name_of(job)
    return name.text if name else ""


def _described(combination: Combination) -> str:
    parts = [f"{name}: {value.text}" for name, value in combination.items() if isinstance(value, Scalar)]
    text = ", ".join(parts)
    return f"{{{text if len(text) <= 60 else f'{text[:59]}…'}}}"


def _first_of_each_place(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Return one diagnostic for each position and code: a value that many combinations lack is one mistake."""
    return list({(each.span.place, each.code.id): each for each in reversed(problems)}.values())
