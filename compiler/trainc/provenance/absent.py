"""Values for the fields that a job file lacks: the manifest's values that they change are defaults of these fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.schema.documents import JOB
from trainc.schema.fields import Field
from trainc.schema.paths import Path
from trainc.source.node import Mapping, Scalar, Value

_MAX_DEPTH = 2  # of sections that the file lacks
_UNUSUAL = 23  # a number that is the default of no field, in a manifest by no accident
_DIGIT = re.compile(r"\d")


def absent_fields(field: Field, node: Mapping) -> Iterator[tuple[Path, Scalar]]:
    """Yield the path below a mapping and a value of each scalar field that it could have."""
    for child in field.children():
        if child.base == JOB and child.name not in node.entries and field.allows(child.name, node.entries):
            for path, value in _values(child, (child.name,)):
                yield path, Scalar(value, str(value), node.span.first)


def _values(field: Field, path: Path) -> Iterator[tuple[Path, Value]]:
    if field.base != JOB or field.is_list:
        return
    for value in dict.fromkeys([*field.words, *_examples(field)]):
        yield path, value
    if len(path) < _MAX_DEPTH:
        for child in field.children():
            yield from _values(child, (*path, child.name))


def _examples(field: Field) -> Iterator[Value]:
    types = field.types
    if "boolean" in types:
        yield from (True, False)
    if "integer" in types:
        yield _UNUSUAL
    for example in field.examples:
        if isinstance(example, str):
            yield example
            yield _DIGIT.sub("7", example)  # the example may be what the default is for this job
