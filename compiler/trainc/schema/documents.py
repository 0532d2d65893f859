"""Schema documents, loaded on demand."""

from __future__ import annotations

import json
from typing import Any

from trainc.resources import read_text

JOB = "trainingjob.json"
KUBERNETES = "kubernetes.json"
PATCH = "kubernetes-patch.json"  # the same types in a strategic-merge patch

Schema = dict[str, Any]
_documents: dict[str, Schema] = {}
_references: dict[tuple[str, str], tuple[Schema, str]] = {}


def document(name: str) -> Schema:
    """Return a schema document by its file name."""
    if name not in _documents:
        _documents[name] = json.loads(read_text("schemas", name))
    return _documents[name]


def resolve(reference: str, base: str) -> tuple[Schema, str]:
    """Return the target of a `$ref` in document `base`, and the target's document."""
    target = _references.get((reference, base))
    if target is None:
        name, _, pointer = reference.partition("#/")
        name = name or base
        schema = document(name)
        for step in pointer.split("/"):
            schema = schema[step]
        target = _references[reference, base] = schema, name
    return target


def add_launcher(name: str, definitions: dict[str, Schema]) -> None:
    """Let `launch` have a field, whose section is the first of the definitions."""
    job = document(JOB)["definitions"]
    job.update(definitions)
    job["Launch"]["properties"][name] = {"$ref": f"#/definitions/{next(iter(definitions))}"}
