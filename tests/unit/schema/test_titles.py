"""Titles in the schema for editors: name of the field and type of the value, different in each branch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from trainc.schema.bundle import bundled
from trainc.schema.titles import add_titles

SCHEMA = json.loads(bundled())


def choices(value: Any) -> Iterator[list[Any]]:
    """Yield the branches of every anyOf that describes a value."""
    if isinstance(value, dict):
        if "anyOf" in value and not any("required" in branch for branch in value["anyOf"]):
            yield value["anyOf"]
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from choices(inner)


def test_branches_have_different_titles() -> None:
    titles = [
        [
            branch.get("title") or SCHEMA["definitions"][branch["$ref"].rpartition("/")[2]]["title"]
            for branch in branches
        ]
        for branches in choices(SCHEMA)
    ]
    assert len(titles) > 10
    assert [names for names in titles if len({*names}) < len(names)] == []


@pytest.mark.parametrize(
    ("field", "title"),
    [
        ({"type": "integer"}, "a: integer"),
        ({"type": ["string", "number"]}, "a: string or number"),
        ({"enum": ["x", "", "y", "z"]}, "a: x, y or z"),
        ({"const": False}, "a: false"),
        ({"anyOf": [{"type": "integer"}, {"const": False}, {"type": "integer"}]}, "a: integer or false"),
        ({"type": "array", "items": {"type": "string"}}, "a: list of strings"),
        ({"$ref": "#/definitions/Quantity"}, "a: quantity"),
        ({"$ref": "#/definitions/Key"}, "a: string"),
        ({"$ref": "#/definitions/kubernetes.Map"}, None),
        ({}, "a"),
    ],
)
def test_a_title_is_the_name_and_the_type(field: dict[str, Any], title: str | None) -> None:
    definitions = {"Quantity": {"type": "string"}, "Key": {"type": "string"}, "kubernetes.Map": {"type": "object"}}
    add_titles({"definitions": definitions, "properties": {"a": field}})
    assert field.get("title") == title
    assert definitions["kubernetes.Map"]["title"] == "Map"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("Plain_text", None),
        ("`A_B` and C_D*", r"`A_B` and C\_D\*"),
        ("See https://a.example/b_c.", "See <https://a.example/b_c>."),
        ("`https://a.example` <b>", r"`https://a.example` \<b\>"),
    ],
)
def test_a_description_with_code_or_a_link_is_markdown(text: str, markdown: str | None) -> None:
    field: dict[str, Any] = {"description": text}
    add_titles({"definitions": {}, "properties": {"a": field}})
    assert field.get("markdownDescription") == markdown
