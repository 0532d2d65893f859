"""Expand a document with `matrix` into the documents of its jobs, before they are checked against the schema."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error, warning
from trainc.diagnostics.variant import Variant
from trainc.record import Record
from trainc.schema.accept import accepts
from trainc.schema.documents import JOB, document
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.sweep.combinations import RESERVED, Combination, combine
from trainc.sweep.expressions import MissingValue, NotText, expressions, fill, invalid_expressions, scalars
from trainc.sweep.limit import LIMIT, suspended
from trainc.sweep.names import collisions, job_name, name_of, secrets_in_names

MATRIX = "matrix"
_MAXIMUM_CHARACTERS = (
    16 * 1024 * 1024
)  # of the values in all jobs; keeps references to long values from taking all memory


class Expansion(Record):
    """Jobs of a document, each with its variant, and warnings about the matrix."""

    jobs: list[tuple[Mapping, Variant]]
    diagnostics: list[Diagnostic]


def expand(node: Mapping) -> Expansion:
    """Return the jobs of a document with `matrix`. Raises Rejected with all errors of the matrix and its use."""
    where, matrix = node.where(MATRIX), node.get(MATRIX)
    if not accepts(matrix or node, document(JOB)["definitions"]["Matrix"]) or not isinstance(matrix, Mapping):
        from trainc.schema.explain import explain_field  # noqa: PLC0415  # jsonschema doubles the time of a cold start

        raise Rejected(*explain_field(node, MATRIX))
    nested = [
        error(codes.INVALID_EXPRESSION, "the matrix cannot use its own variables", each.span)
        for each, _ in scalars(matrix)
    ]
    if nested:
        raise Rejected(*nested)
    combinations, warnings = combine(matrix, where)
    names = list(dict.fromkeys(name for each in combinations for name in each))
    template = Mapping({key: entry for key, entry in node.entries.items() if key != MATRIX}, node.span)
    problems = [
        *secrets_in_names(combinations),
        *invalid_expressions(template, names),
        *_too_long(template, combinations),
    ]
    if problems:
        raise Rejected(*problems)
    documents = _documents(template, combinations)
    limit = matrix.where(LIMIT) if LIMIT in matrix.entries else None
    variants = [
        (job, Variant(name=_name(job), count=len(documents), matrix=where, limit=limit, is_suspended=is_suspended))
        for job, is_suspended in suspended(documents, matrix.get(LIMIT))
    ]
    return Expansion(jobs=variants, diagnostics=[*warnings, *_unused(template, matrix, combinations)])


def _documents(template: Mapping, combinations: list[Combination]) -> list[Mapping]:
    """Return the document of each combination. Raises Rejected for a missing value, and for jobs of the same name."""
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
    if len(names) == len(combinations):
        problems += collisions(names, combinations, template.span.first)
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
        own = dict(metadata.entries)
        if name is not None:
            own["name"] = Entry(own["name"].key, job_name(name, combination, look_up))
        # Every field of the metadata is a string.
        value = fill(Mapping(own, metadata.span), look_up, texts, str)
        entries["metadata"] = Entry(template.entries["metadata"].key, value)
    return Mapping({key: entries.get(key, entry) for key, entry in template.entries.items()}, template.span)


def _name(job: Mapping) -> str:
    name = name_of(job)
    return name.text if name else ""


def _unused(template: Mapping, matrix: Mapping, combinations: list[Combination]) -> Iterator[Diagnostic]:
    """Yield warnings about variables that no field uses: jobs that differ in their names only."""
    used = {path[0] for scalar, _ in scalars(template) for path, _, _ in expressions(scalar) if path}
    for name, entry in matrix.entries.items():
        if (
            name not in RESERVED
            and name not in used
            and len(entry.value.items if isinstance(entry.value, Sequence) else []) > 1
        ):
            message = f"no field uses `matrix.{name}`: its jobs differ only in their names"
            help_ = f"write `${{{{ matrix.{name} }}}}` where the program takes it"
            yield warning(codes.UNUSED_VARIABLE, message, entry.key.span, help=help_)


def _too_long(template: Mapping, combinations: list[Combination]) -> Iterator[Diagnostic]:
    """Yield an error if the values are long and used so often that the jobs would take all memory."""
    total = 0
    for scalar, _ in scalars(template):
        for path, _, span in expressions(scalar):
            total += sum(_size(each[path[0]]) for each in combinations if path and path[0] in each)
            if total > _MAXIMUM_CHARACTERS:
                yield error(codes.MATRIX_TOO_LARGE, "the jobs have more than 16 MiB of values of the matrix", span)
                return


def _size(node: Node) -> int:
    """Return the number of characters and nodes of a value."""
    size, stack = 0, [node]
    while stack:
        each = stack.pop()
        size += 1 + (len(each.text) if isinstance(each, Scalar) else 0)
        if isinstance(each, Sequence):
            stack += each.items
        elif isinstance(each, Mapping):
            stack += [value for _, value in each.items()]
    return size


def _described(combination: Combination) -> str:
    parts = [f"{name}: {value.text}" for name, value in combination.items() if isinstance(value, Scalar)]
    text = ", ".join(parts)
    return f"{{{text if len(text) <= 60 else f'{text[:59]}…'}}}"


def _first_of_each_place(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Return one diagnostic for each position and code: a value that many combinations lack is one mistake."""
    return list({(each.span.place, each.code.id): each for each in reversed(problems)}.values())
