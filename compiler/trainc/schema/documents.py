"""The schema documents, read when something refers to them."""

from __future__ import annotations

import json
import os
from typing import Any

from trainc.resources import folder

JOB = "trainingjob.json"
KUBERNETES = "kubernetes.json"
PATCH = "kubernetes-patch.json"  # not a file: kubernetes.json as a patch of such an object may look

Schema = dict[str, Any]
_documents: dict[str, Schema] = {}
_references: dict[tuple[str, str], tuple[Schema, str]] = {}


def document(name: str) -> Schema:
    """A schema document by its file name."""
    if name not in _documents:
        if name == PATCH:
            _documents[name] = _as_patch(document(KUBERNETES))
        else:
            with open(os.path.join(folder("schemas"), name), encoding="utf-8") as file:
                _documents[name] = json.load(file)
    return _documents[name]


def resolve(reference: str, base: str) -> tuple[Schema, str]:
    """What a `$ref` that stands in document `base` refers to, and the document it is in."""
    found = _references.get((reference, base))
    if found is None:
        name, _, pointer = reference.partition("#/")
        name = name or base
        schema = document(name)
        for step in pointer.split("/"):
            schema = schema[step]
        found = _references[reference, base] = schema, name
    return found


def _as_patch(whole: Schema) -> Schema:
    """Kubernetes' types as a strategic-merge patch has them: nothing is required and null removes.

    https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/ and
    https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
    """
    definitions = {}
    for name, schema in whole["definitions"].items():
        definitions[name] = schema
        if "properties" in schema:
            properties = {key: {"anyOf": [value, {"type": "null"}]} for key, value in schema["properties"].items()}
            properties["$patch"] = {"enum": ["replace", "delete", "merge"]}
            definitions[name] = {**schema, "properties": properties, "required": []}
    return {"$schema": whole["$schema"], "definitions": definitions}
