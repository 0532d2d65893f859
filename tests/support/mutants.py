"""The examples with one field changed, where that field then stands, and whether the schema still takes it.

Nothing here goes through the compiler: the schema is asked through jsonschema, places through PyYAML.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft7Validator
from referencing import Registry
from referencing.jsonschema import DRAFT7
from ruamel.yaml import YAML

from tests.support.examples import EXAMPLES, path
from tests.support.places import DOCUMENTS, JOB

Path = tuple[str | int, ...]
VALUES: tuple[Any, ...] = (None, True, 17.5, -3, "a text, with signs: {}", [], {}, [[]], {"some key": {}})


@cache
def examples() -> tuple[tuple[str, Any], ...]:
    """The first job of every example, by its name."""
    loader = YAML(typ="safe")  # 1.2: PyYAML would read 0o400 as a string
    return tuple((name, next(loader.load_all(path(name).read_text("utf-8")))) for name in EXAMPLES)


def fields(value: Any, here: Path = ()) -> Iterator[Path]:
    """The path of every field and item."""
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield (*here, key)
        yield from fields(child, (*here, key))


@cache
def kinds_of_fields() -> dict[str, tuple[str, Path]]:
    """Each field of the language that some example has: the example, and the path there. Items are all alike."""
    found: dict[str, tuple[str, Path]] = {}
    for name, job in examples():
        for place in fields(job):
            found.setdefault(shown(place), (name, place))
    return found


def shown(place: Path) -> str:
    """A path with its numbers left out."""
    return ".".join("[]" if isinstance(step, int) else step for step in place)


def changed(example: str, place: Path, value: Any) -> Any:
    """An example's job with another value at a path."""
    job = copy.deepcopy(dict(examples())[example])
    parent = job
    for step in place[:-1]:
        parent = parent[step]
    parent[place[-1]] = value
    return job


def without(job: Any, place: Path) -> Any:
    """A job without the field at a path; as it is when there is none."""
    job = copy.deepcopy(job)
    parent: Any = job
    for step in place[:-1]:
        parent = parent.get(step) if isinstance(parent, dict) else None
    if isinstance(parent, dict):
        parent.pop(place[-1], None)
    return job


def grafted(job: Any, place: Path, donor: Any) -> Any:
    """A job with the value that another has at a path, where both have what is above it."""
    job = copy.deepcopy(job)
    parent: Any = job
    for step in place[:-1]:
        parent = parent.get(step) if isinstance(parent, dict) else None
        donor = donor[step]
    if isinstance(parent, dict):
        parent[place[-1]] = copy.deepcopy(donor[place[-1]])
    return job


def text(job: Any) -> str:
    """A job as JSON, which YAML contains: each field on a line of its own."""
    return json.dumps(job, indent=1, ensure_ascii=False)


def lines(written: str, place: Path) -> range:
    """The lines, from 1, of a field with its value."""
    first: Any = yaml.compose(written)
    last = first
    for step in place:
        if isinstance(step, int):
            first = last = last.value[step]
        else:
            first, last = next(pair for pair in last.value if pair[0].value == step)
    return range(first.start_mark.line + 1, last.end_mark.line + 2)


def is_valid(job: Any) -> bool:
    """Whether the schema takes a job."""
    return bool(_validator().is_valid(job))


@cache
def _validator() -> Any:
    resources = [(name, DRAFT7.create_resource(document)) for name, document in DOCUMENTS.items()]
    registry: Any = Registry().with_resources(resources)
    return Draft7Validator(DOCUMENTS[JOB], registry=registry)
