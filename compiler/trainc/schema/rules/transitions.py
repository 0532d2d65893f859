"""Fields of a custom resource that never change: those with the rule `self == oldSelf` in the CRD.

The API server evaluates a rule with `oldSelf` only if both values exist, and finds that of an item by its keys:
https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#transition-rules
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.schema.documents import Schema, document, resolve

IMMUTABLE = "self == oldSelf"
RULES = "x-kubernetes-validations"

Steps = tuple[str, ...]  # an item of a list is its first key in brackets


def immutable_fields(name: str, old: Any, new: Any) -> Iterator[Steps]:
    """Yield the paths of the immutable fields that differ between versions of an object, by the schema of its kind."""
    yield from _fields(document(name)["properties"]["spec"], name, old.get("spec"), new.get("spec"), ("spec",))


def _fields(schema: Schema, base: str, old: Any, new: Any, path: Steps) -> Iterator[Steps]:
    if "$ref" in schema:
        schema, base = resolve(schema["$ref"], base)
    old, new = (schema.get("default") if value is None else value for value in (old, new))
    if old is None or new is None or old == new:
        return
    if any(rule["rule"] == IMMUTABLE for rule in schema.get(RULES, ())):
        yield path
    if isinstance(old, dict) and isinstance(new, dict):
        others = schema.get("additionalProperties")
        for field in old.keys() | new.keys():
            inner = schema.get("properties", {}).get(field, others)
            if isinstance(inner, dict):
                yield from _fields(inner, base, old.get(field), new.get(field), (*path, field))
    elif isinstance(old, list) and isinstance(new, list) and "x-list-keys" in schema:
        key = next(iter(schema["x-list-keys"]))
        former, latter = (
            {each[key]: each for each in items if isinstance(each, dict) and isinstance(each.get(key), str | int)}
            for items in (old, new)
        )
        for value in former.keys() & latter.keys():
            yield from _fields(schema["items"], base, former[value], latter[value], (*path, f"[{value}]"))
