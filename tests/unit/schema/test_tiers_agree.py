"""The fast validator and jsonschema agree on any job, and every rejection has a diagnostic."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tests.support.corpus import BAD
from tests.support.full_job import FULL
from trainc.diagnostics.diagnostic import Diagnostic, Rejected
from trainc.schema import accept
from trainc.schema.accept import accepts
from trainc.schema.bundle import bundled
from trainc.schema.documents import JOB, KUBERNETES, PATCH, document
from trainc.schema.explain import explain
from trainc.source.load import decode, load
from trainc.source.node import Node, plain
from trainc.span import Source

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3.0, 0.5, -0.0, 1e300, 2**31, 65536, 100001),
    *("", "a", "A", "main", "1", "true", "no", "16Gi", "16GB", "1.", ".5", "-1", "/a", "/a:b", "a b", "é", "😀"),
    *("a\n", "\n", "16Gi\n", "/a\n", "c10d\n", "1e3", "5e", "0:3", "auto", "x" * 64, "trainc.dev/x", "a/b/c"),
    *([], [1], ["a"], [[]], [{}], {}, {"a": 1}, {"name": "a"}, {"$patch": "delete"}, {"": ""}, {"a\n": "b"}),
]
NAMES = ["a", "", "name", "Name", "$patch", "value", "spec", "a\n", "$ref", "é", "1", "x/y", "gpu", "type"]


def _node(job: Any) -> Node:
    documents, problems = load(Source("job.yaml", json.dumps(job, ensure_ascii=False)))
    assert not problems
    return documents[0]


FULL_JOB = plain(load(Source("job.yaml", FULL))[0][0])


def _plain() -> Any:
    return copy.deepcopy(FULL_JOB)


def _containers(value: Any) -> list[Any]:
    """Return every mapping and list that is not empty."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return ([value] if inner else []) + [found for item in inner for found in _containers(item)]


def _mutate(job: Any, draw: st.DataObject) -> None:
    """Change one place: delete, rename, double, swap two values, or put another value there."""
    places = _containers(job)
    place = places[draw.draw(st.integers(0, len(places) - 1))]
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    key = draw.draw(st.sampled_from(keys))
    kind = draw.draw(st.sampled_from(["delete", "rename", "double", "swap", "value", "value"]))
    if kind == "delete":
        del place[key]
    elif kind == "value":
        place[key] = copy.deepcopy(draw.draw(st.sampled_from(VALUES)))
    elif kind == "swap":
        other = places[draw.draw(st.integers(0, len(places) - 1))]
        there = draw.draw(st.sampled_from(list(other) if isinstance(other, dict) else list(range(len(other)))))
        place[key], other[there] = copy.deepcopy(other[there]), copy.deepcopy(place[key])
    elif isinstance(place, dict):
        changed = str(key).swapcase() if kind == "double" else draw.draw(st.sampled_from(NAMES))
        place[changed] = place[key] if kind == "double" else place.pop(key)
    else:
        place.append(copy.deepcopy(place[key]))


def _assert_inside(diagnostics: list[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        span = diagnostic.span
        lines = span.source.text.split("\n")
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1
        assert (span.end_line, span.end_column) >= (span.line, span.column)
        assert diagnostic.severity == "error"
        assert diagnostic.message


def test_the_full_job_is_valid_to_both() -> None:
    node = load(Source("job.yaml", FULL))[0][0]
    assert accepts(node)
    assert explain(node) == []


@settings(database=None, deadline=None, max_examples=400)
@given(st.data(), st.integers(1, 3))
def test_both_tiers_agree_on_a_changed_job(data: st.DataObject, times: int) -> None:
    job = _plain()
    for _ in range(times):
        if _containers(job):
            _mutate(job, data)
    node = _node(job)
    found = explain(node)
    assert accepts(node) == (not found), [str(diagnostic.message) for diagnostic in found]
    _assert_inside(found)


@settings(database=None, deadline=None, max_examples=100)
@given(st.recursive(st.sampled_from(VALUES), lambda inner: st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)))
def test_both_tiers_agree_on_anything_in_the_place_of_a_spec(spec: Any) -> None:
    node = _node({**_plain(), "spec": spec})
    found = explain(node)
    assert accepts(node) == (not found)
    _assert_inside(found)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in inner for found in _places(item, (*path, key)))]


@pytest.mark.slow
@pytest.mark.parametrize("value", [None, "", "a\n", -1, [], {}, True], ids=repr)
def test_both_tiers_agree_on_another_value_of_any_field(value: Any) -> None:
    for path in _places(_plain())[1:]:
        job = here = _plain()
        for step in path[:-1]:
            here = here[step]
        here[path[-1]] = value
        node = _node(job)
        found = explain(node)
        assert accepts(node) == (not found), path
        _assert_inside(found)


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_both_tiers_agree_on_every_wrong_job(file: Path) -> None:
    try:
        documents, _ = load(decode(file.name, file.read_bytes()))
    except Rejected:
        return
    for node in documents:
        found = explain(node)
        assert accepts(node) == (not found)
        _assert_inside(found)


@settings(database=None, deadline=None, max_examples=60)
@given(st.data())
def test_the_printed_schema_agrees_with_the_fast_tier(data: st.DataObject) -> None:
    """But for texts that end in a line break: Python's `$` is not that of ECMA's patterns."""
    job = _plain()
    _mutate(job, data)
    if "\\n" not in json.dumps(job):
        assert accepts(_node(job)) == PRINTED.is_valid(job)


PRINTED = Draft7Validator(json.loads(bundled()))
# What only people and editors read.
WITHOUT_EFFECT = {"$schema", "title", "description", "default", "examples", "definitions", "$ref", "patternProperties"}
WITHOUT_EFFECT |= {"patternErrorMessage"}  # shown by editors and by us
SUBSCHEMAS = ("properties", "patternProperties", "definitions")


def _keywords(schema: Any) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    found = set(schema)
    for keyword, argument in schema.items():
        if keyword in SUBSCHEMAS:
            found |= {inner for value in argument.values() for inner in _keywords(value)}
        elif keyword in ("allOf", "anyOf", "oneOf"):
            found |= {inner for value in argument for inner in _keywords(value)}
        elif keyword in ("items", "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains"):
            found |= _keywords(argument)
    return found


@pytest.mark.parametrize("name", [JOB, KUBERNETES, PATCH])
def test_the_fast_tier_knows_every_keyword_of_the_schemas(name: str) -> None:
    unknown = _keywords(document(name)) - set(accept._RULES) - WITHOUT_EFFECT
    assert not unknown


@pytest.mark.parametrize("name", [JOB, KUBERNETES, PATCH])
def test_the_schemas_use_keywords_only_in_the_form_that_the_fast_tier_knows(name: str) -> None:
    todo: list[Any] = [document(name)]
    while todo:
        schema = todo.pop()
        if isinstance(schema, list):
            todo += schema
        elif isinstance(schema, dict):
            if "$ref" in schema and isinstance(schema["$ref"], str):
                assert set(schema) <= {"$ref", "description", "default", "examples"}, "siblings of $ref have no effect"
            if "patternProperties" in schema and isinstance(schema.get("type"), str):
                assert "properties" in schema, "patternProperties are read beside properties"
            if isinstance(schema.get("propertyNames"), dict) and "type" in schema:
                assert set(schema["propertyNames"]) - WITHOUT_EFFECT == {"pattern"}
            assert not isinstance(schema.get("items"), list), "a list of items is not known"
            todo += schema.values()
