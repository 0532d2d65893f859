"""Editors show each field's description, the meaning of each enum value, and a default or examples."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft7Validator
from referencing import Registry
from referencing.jsonschema import DRAFT7

from tests.support.string_slots import DOCUMENTS, JOB

DEFINITIONS = DOCUMENTS[JOB]["definitions"]
FIELDS = {
    f"{name}.{field}": schema
    for name, definition in DEFINITIONS.items()
    for field, schema in definition.get("properties", {}).items()
}


def _resolve(schema: Any) -> Any:
    """Return a schema merged with the definition that it refers to."""
    name = schema.get("$ref", "").removeprefix("#/definitions/")
    return {**DEFINITIONS.get(name, {}), **schema}


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_has_a_description_of_full_sentences(field: str) -> None:
    text = _resolve(FIELDS[field]).get("description", "")
    assert re.fullmatch(r"[A-Z`0-9a-z].*[.)]", text), text


@pytest.mark.parametrize("field", [field for field in FIELDS if "enum" in _resolve(FIELDS[field])])
def test_descriptions_explain_every_enum_value(field: str) -> None:
    schema = _resolve(FIELDS[field])
    assert [value for value in schema["enum"] if not re.search(rf"\b{value}\b", schema["description"])] == []


@pytest.mark.sample(60)
@pytest.mark.parametrize("field", FIELDS)
def test_every_field_has_a_default_examples_or_fields(field: str) -> None:
    schema = _resolve(FIELDS[field])
    assert {"default", "examples", "enum", "const", "properties"} & schema.keys() or "items" in schema


@pytest.mark.sample(60)
@pytest.mark.parametrize("field", [field for field in FIELDS if {"default", "examples"} & FIELDS[field].keys()])
def test_defaults_and_examples_are_valid(field: str) -> None:
    resources = [(name, DRAFT7.create_resource(document)) for name, document in DOCUMENTS.items()]
    registry: Any = Registry().with_resources(resources)
    name, _, inner = field.partition(".")
    reference = {"$ref": f"{JOB}#/definitions/{name}/properties/{inner}"}
    schema = FIELDS[field]
    for value in [*schema.get("examples", []), *([schema["default"]] if "default" in schema else [])]:
        assert Draft7Validator(reference, registry=registry).is_valid(value), json.dumps(value)
