"""Schema documents, loaded on demand."""

from __future__ import annotations

import json
import re
from functools import cache

from trainc.resources import read_text
from trainc.typenames import Any

JOB = "trainingjob.json"
PROJECT = "project.json"
CLUSTER = "cluster.json"
KUBERNETES = "kubernetes.json"
PATCH = "kubernetes-patch.json"  # the same types in a strategic-merge patch

Schema = dict[str, Any]


@cache
def document(name: str) -> Schema:
    """Return a schema document by its file name."""
    schema: Schema = json.loads(read_text("schemas", name))
    return schema


@cache
def resolve(reference: str, base: str) -> tuple[Schema, str]:
    """Return the target of a `$ref` in document `base`, and the target's document."""
    name, _, pointer = reference.partition("#/")
    schema = document(name or base)
    for step in pointer.split("/"):
        schema = schema[step]
    return schema, name or base


def add_launcher(name: str, definitions: dict[str, Schema]) -> None:
    """Let `launch` have a field, whose section is the first of the definitions."""
    job = document(JOB)["definitions"]
    job.update(definitions)
    job["Launch"]["properties"][name] = {"$ref": f"#/definitions/{next(iter(definitions))}"}


def matches(pattern: str, text: str) -> bool:
    """Return whether a schema's pattern matches a text."""
    return compiled(pattern).search(text) is not None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a schema's pattern as one of Python, for `search`."""
    # JSON Schema's `$` matches only at the end; Python's also matches before a final line break.
    return re.compile(pattern.replace("$", r"\Z") if pattern.endswith("$") else pattern)
