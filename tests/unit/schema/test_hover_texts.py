"""What an editor shows of a field: a text, every word that it takes, and something to copy."""

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


def _followed(schema: Any) -> Any:
    """A schema with the definition of ours that it refers to below it."""
    name = schema.get("$ref", "").removeprefix("#/definitions/")
    return {**DEFINITIONS.get(name, {}), **schema}


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_has_a_text_of_whole_sentences(field: str) -> None:
    text = _followed(FIELDS[field]).get("description", "")
    assert re.fullmatch(r"[A-Z`0-9a-z].*[.)]", text), text


@pytest.mark.parametrize("field", [field for field in FIELDS if "enum" in _followed(FIELDS[field])])
def test_every_word_that_a_field_takes_is_explained(field: str) -> None:
    schema = _followed(FIELDS[field])
    assert [word for word in schema["enum"] if not re.search(rf"\b{word}\b", schema["description"])] == []


@pytest.mark.parametrize("field", FIELDS)
def test_every_value_has_a_default_or_an_example_or_fields_of_its_own(field: str) -> None:
    schema = _followed(FIELDS[field])
    assert {"default", "examples", "enum", "const", "properties"} & schema.keys() or "items" in schema


@pytest.mark.parametrize("field", [field for field in FIELDS if {"default", "examples"} & FIELDS[field].keys()])
def test_defaults_and_examples_are_what_the_field_takes(field: str) -> None:
    resources = [(name, DRAFT7.create_resource(document)) for name, document in DOCUMENTS.items()]
    registry: Any = Registry().with_resources(resources)
    name, _, inner = field.partition(".")
    here = {"$ref": f"{JOB}#/definitions/{name}/properties/{inner}"}
    schema = FIELDS[field]
    for value in [*schema.get("examples", []), *([schema["default"]] if "default" in schema else [])]:
        assert Draft7Validator(here, registry=registry).is_valid(value), json.dumps(value)
