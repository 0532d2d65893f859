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
from tests.support.trees import field_paths, with_value
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


def _full_job() -> Any:
    return copy.deepcopy(FULL_JOB)


def _containers(value: Any) -> list[Any]:
    """Return every mapping and list that is not empty."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return ([value] if inner else []) + [container for item in inner for container in _containers(item)]


def _mutate(job: Any, draw: st.DataObject) -> None:
    """Change one entry of a mapping or list: delete, rename, duplicate, swap or replace it."""
    containers = _containers(job)
    container = containers[draw.draw(st.integers(0, len(containers) - 1))]
    keys = list(container) if isinstance(container, dict) else list(range(len(container)))
    key = draw.draw(st.sampled_from(keys))
    kind = draw.draw(st.sampled_from(["delete", "rename", "duplicate", "swap", "value", "value"]))
    if kind == "delete":
        del container[key]
    elif kind == "value":
        container[key] = copy.deepcopy(draw.draw(st.sampled_from(VALUES)))
    elif kind == "swap":
        other_container = containers[draw.draw(st.integers(0, len(containers) - 1))]
        other_key = draw.draw(
            st.sampled_from(
                list(other_container) if isinstance(other_container, dict) else list(range(len(other_container)))
            )
        )
        container[key], other_container[other_key] = (
            copy.deepcopy(other_container[other_key]),
            copy.deepcopy(container[key]),
        )
    elif isinstance(container, dict):
        new_key = str(key).swapcase() if kind == "duplicate" else draw.draw(st.sampled_from(NAMES))
        container[new_key] = container[key] if kind == "duplicate" else container.pop(key)
    else:
        container.append(copy.deepcopy(container[key]))


def _assert_positions(diagnostics: list[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        span = diagnostic.span
        lines = span.source.text.split("\n")
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1
        assert (span.end_line, span.end_column) >= (span.line, span.column)
        assert diagnostic.severity == "error"
        assert diagnostic.message


def test_both_tiers_accept_the_full_job() -> None:
    node = load(Source("job.yaml", FULL))[0][0]
    assert accepts(node)
    assert explain(node) == []


@pytest.mark.slow
@settings(database=None, deadline=None, max_examples=400)
@given(st.data(), st.integers(1, 3))
def test_both_tiers_agree_on_mutated_jobs(data: st.DataObject, times: int) -> None:
    job = _full_job()
    for _ in range(times):
        if _containers(job):
            _mutate(job, data)
    node = _node(job)
    diagnostics = explain(node)
    assert accepts(node) == (not diagnostics), [str(diagnostic.message) for diagnostic in diagnostics]
    _assert_positions(diagnostics)


@settings(database=None, deadline=None, max_examples=100)
@given(st.recursive(st.sampled_from(VALUES), lambda inner: st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)))
def test_both_tiers_agree_on_any_spec(spec: Any) -> None:
    node = _node({**_full_job(), "spec": spec})
    diagnostics = explain(node)
    assert accepts(node) == (not diagnostics)
    _assert_positions(diagnostics)


SECRET = {"secretKeyRef": {"name": "a", "key": "b"}}


@pytest.mark.parametrize(
    ("env", "is_valid"),
    [
        ({"A": "1", "B": {"valueFrom": SECRET}}, True),
        ({"A": {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}}, True),
        ({"A": {}}, False),
        ({"A": {"value": "b"}}, False),
        ({"A": {"value": "b", "valueFrom": SECRET}}, False),
        ({"A": {"valueFrom": "b"}}, False),
        ({"A": {"valueFrom": {"secretKeyRef": {"name": "a"}}}}, False),
        ({"A": SECRET}, False),
        ({"1 A": {"valueFrom": SECRET}}, False),
    ],
)
def test_both_tiers_agree_on_variables_with_a_source(env: Any, is_valid: bool) -> None:
    job = _full_job()
    job["spec"]["env"] = env
    assert accepts(_node(job)) == (not explain(_node(job))) == is_valid


@pytest.mark.slow
@pytest.mark.parametrize("value", [None, "", "a\n", -1, [], {}, True], ids=repr)
def test_both_tiers_agree_on_other_values_of_every_field(value: Any) -> None:
    for path in field_paths(FULL_JOB):
        node = _node(with_value(FULL_JOB, path, value))
        diagnostics = explain(node)
        assert accepts(node) == (not diagnostics), path
        _assert_positions(diagnostics)


@pytest.mark.sample(200)
@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_both_tiers_agree_on_invalid_jobs(file: Path) -> None:
    try:
        documents, _ = load(decode(file.name, file.read_bytes()))
    except Rejected:
        return
    for node in documents:
        diagnostics = explain(node)
        assert accepts(node) == (not diagnostics)
        _assert_positions(diagnostics)


@settings(database=None, deadline=None, max_examples=60)
@given(st.data())
def test_the_printed_schema_agrees_with_the_fast_tier(data: st.DataObject) -> None:
    """Except for texts with line breaks: Python's `$` differs from that of ECMA patterns."""
    job = _full_job()
    _mutate(job, data)
    if "\\n" not in json.dumps(job):
        assert accepts(_node(job)) == PRINTED.is_valid(job)


PRINTED = Draft7Validator(json.loads(bundled()))
# Keywords without effect on validation.
WITHOUT_EFFECT = {"$schema", "title", "description", "default", "examples", "definitions", "$ref", "patternProperties"}
WITHOUT_EFFECT |= {"patternErrorMessage"}  # used by editors and in diagnostics
SUBSCHEMAS = ("properties", "patternProperties", "definitions")


def _keywords(schema: Any) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    keywords = set(schema)
    for keyword, argument in schema.items():
        if keyword in SUBSCHEMAS:
            keywords |= {inner for value in argument.values() for inner in _keywords(value)}
        elif keyword in ("allOf", "anyOf", "oneOf"):
            keywords |= {inner for value in argument for inner in _keywords(value)}
        elif keyword in ("items", "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains"):
            keywords |= _keywords(argument)
    return keywords


@pytest.mark.parametrize("name", [JOB, KUBERNETES, PATCH])
def test_the_fast_tier_implements_every_keyword_of_the_schemas(name: str) -> None:
    unknown = _keywords(document(name)) - set(accept._RULES) - WITHOUT_EFFECT
    assert not unknown


@pytest.mark.parametrize("name", [JOB, KUBERNETES, PATCH])
def test_the_schemas_use_only_supported_forms_of_keywords(name: str) -> None:
    schemas: list[Any] = [document(name)]
    while schemas:
        schema = schemas.pop()
        if isinstance(schema, list):
            schemas += schema
        elif isinstance(schema, dict):
            if "$ref" in schema and isinstance(schema["$ref"], str):
                assert set(schema) <= {"$ref", "description", "default", "examples"}, "siblings of $ref have no effect"
            if "patternProperties" in schema and isinstance(schema.get("type"), str):
                assert "properties" in schema, "patternProperties without properties are unsupported"
            if isinstance(schema.get("propertyNames"), dict) and "type" in schema:
                assert set(schema["propertyNames"]) - WITHOUT_EFFECT == {"pattern"}
            assert not isinstance(schema.get("items"), list), "a list of item schemas is unsupported"
            schemas += schema.values()
