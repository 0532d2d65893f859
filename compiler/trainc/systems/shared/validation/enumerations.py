"""Enumerations and ranges of Kubernetes' types in objects that an operator creates: CRDs have few of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object
from trainc.schema.documents import Schema, document, resolve


def enumeration_errors(resource: Object, name: str) -> Iterator[Finding]:
    """Yield the values of an object that its type excludes; `name` is the document with its schema."""
    yield from _errors(resource.get("spec"), document(name)["properties"]["spec"], name, ("spec",))


def _errors(value: Any, schema: Schema, base: str, path: tuple[str | int, ...]) -> Iterator[Finding]:
    while "$ref" in schema:
        schema, base = resolve(schema["$ref"], base)
    if isinstance(value, dict):
        fields, more = schema.get("properties", {}), schema.get("additionalProperties")
        for name, inner in value.items():
            inner_schema = fields.get(name) or more
            if isinstance(inner_schema, dict):
                yield from _errors(inner, inner_schema, base, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _errors(inner, schema.get("items", {}), base, (*path, index))
    elif isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        help_ = f"set a number from {schema['minimum']} to {schema['maximum']}"
        yield rejection(f"{path[-1]} can't be {value}", *path, help=help_)
    elif isinstance(value, str) and value not in schema.get("enum", (value,)):
        allowed = " or ".join(filter(None, schema["enum"]))
        field = next(step for step in reversed(path) if isinstance(step, str))
        yield rejection(f"{field} can't be `{value}`", *path, help=f"write {allowed}")
