"""Input of `trainc status`: whatever kubectl prints, and what it doesn't."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainc.span import Source
from trainc.status.documents import latest, parse_objects

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


def names(text: str) -> list[str]:
    objects, problems = parse_objects(Source("x", text))
    assert not problems
    return [each["metadata"]["name"] for each in objects]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(POD),
        json.dumps([POD]),
        json.dumps({"kind": "List", "items": [POD, None, 1, {}, {"kind": "Pod"}]}),
        json.dumps({"kind": "List", "items": []}) + json.dumps(POD),
        "kind: Pod\nmetadata: {name: a}\n",
    ],
)
def test_documents_lists_and_yaml(text: str) -> None:
    assert names(text) == ["a"]


def test_documents_follow_each_other() -> None:
    assert names(json.dumps(POD, indent=4) + "\n" + json.dumps({**POD, "metadata": {"name": "b"}})) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the input contains no Kubernetes object"),
        ("{}", "the input contains no Kubernetes object"),
        ("[1, null]", "the input contains no Kubernetes object"),
        ("{", "the input is not JSON: Expecting property name enclosed in double quotes"),
        ('{"a": ' + "9" * 5000 + "}", "the input is not JSON: Exceeds the limit (4300 digits)"),
        ("[" * 100_000, "the JSON is nested too deeply"),
        ("a: [", "did not find"),
    ],
)
def test_other_input_is_an_error(text: str, message: str) -> None:
    objects, (problem,) = parse_objects(Source("x", text))
    assert objects == []
    assert problem.severity == "error"
    assert message in problem.message


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    assert names('{"kind": "Pod", "metadata": {"name": "a\\ud800b\\ud83d\\ude00"}}') == ["a\ufffdb\U0001f600"]


def test_the_last_version_of_an_object_counts() -> None:
    versions: list[dict[str, Any]] = [{**POD, "status": {"phase": phase}} for phase in ("Pending", "Running")]
    assert latest(versions) == versions[1:]
