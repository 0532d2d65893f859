"""Examples with one field changed, the lines of that field, and whether the schema still accepts the job.

Independent of the compiler: jsonschema validates, PyYAML locates fields.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft7Validator
from referencing import Registry
from referencing.jsonschema import DRAFT7
from ruamel.yaml import YAML

from tests.support.examples import EXAMPLES, example_path
from tests.support.string_slots import DOCUMENTS, JOB
from tests.support.trees import Path, field_paths, with_value
from tests.support.yaml_readers import LIBYAML

VALUES: tuple[Any, ...] = (None, True, 17.5, -3, "a text, with signs: {}", [], {}, [[]], {"some key": {}})


@cache
def examples() -> tuple[tuple[str, Any], ...]:
    """Return the name and the first job of every example."""
    loader = YAML(typ="safe")  # 1.2: PyYAML would read 0o400 as a string
    documents = ((name, loader.load_all(example_path(name).read_text("utf-8"))) for name in EXAMPLES)
    return tuple((name, next(each for each in all_ if each["kind"] == "TrainingJob")) for name, all_ in documents)


@cache
def example_fields() -> dict[str, tuple[str, Path]]:
    """Return an example and a path for each field that some example sets; items of a list count as one field."""
    locations: dict[str, tuple[str, Path]] = {}
    for name, job in examples():
        for path in field_paths(job):
            locations.setdefault(format_path(path), (name, path))
    return locations


def format_path(path: Path) -> str:
    """Return a path without indices."""
    return ".".join("[]" if isinstance(step, int) else step for step in path)


def mutate_example(example: str, path: Path, value: Any) -> Any:
    """Return an example's job with another value at a path."""
    return with_value(dict(examples())[example], path, value)


def without(job: Any, path: Path) -> Any:
    """Return a job without the field at a path; unchanged if the job doesn't set it."""
    job = copy.deepcopy(job)
    parent: Any = job
    for step in path[:-1]:
        parent = parent.get(step) if isinstance(parent, dict) else None
    if isinstance(parent, dict):
        parent.pop(path[-1], None)
    return job


def with_donor_value(job: Any, path: Path, donor: Any) -> Any:
    """Return a job with the donor's value at a path; unchanged if the job lacks the parent."""
    job = copy.deepcopy(job)
    parent: Any = job
    for step in path[:-1]:
        parent = parent.get(step) if isinstance(parent, dict) else None
        donor = donor[step]
    if isinstance(parent, dict):
        parent[path[-1]] = copy.deepcopy(donor[path[-1]])
    return job


def job_json(job: Any) -> str:
    """Return a job as JSON, a subset of YAML, with each field on its own line."""
    return json.dumps(job, indent=1, ensure_ascii=False)


def field_lines(written: str, path: Path) -> range:
    """Return the lines, from 1, of a field with its value."""
    first: Any = yaml.compose(written, LIBYAML)
    last = first
    for step in path:
        if isinstance(step, int):
            first = last = last.value[step]
        else:
            first, last = next(pair for pair in last.value if pair[0].value == step)
    return range(first.start_mark.line + 1, last.end_mark.line + 2)


def is_valid(job: Any) -> bool:
    """Return whether the schema accepts a job."""
    return bool(_validator().is_valid(job))


@cache
def _validator() -> Any:
    resources = [(name, DRAFT7.create_resource(document)) for name, document in DOCUMENTS.items()]
    registry: Any = Registry().with_resources(resources)
    return Draft7Validator(DOCUMENTS[JOB], registry=registry)
