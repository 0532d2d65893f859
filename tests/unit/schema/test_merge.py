"""Merge of trees: expected values are written by hand, after RFC 7386 but for lists of patches."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.schema.merge import merge, merge_jobs
from trainc.source.load import load
from trainc.source.node import Mapping, Node, plain
from trainc.span import Source


def tree(text: str, name: str = "lower") -> Node:
    (document,), problems = load(Source(name, text))
    assert not problems
    return document


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ("{a: 1}", "{b: 2}", {"a": 1, "b": 2}),
        ("{a: 1}", "{a: 2}", {"a": 2}),
        ("{a: {b: 1, c: 1}}", "{a: {c: 2}}", {"a": {"b": 1, "c": 2}}),
        ("{a: [1, 2]}", "{a: [3]}", {"a": [3]}),
        ("{a: {b: 1}}", "{a: [3]}", {"a": [3]}),
        ("{a: 1}", "{a: {b: 1}}", {"a": {"b": 1}}),
        ("{a: 1, b: 1}", "{a: null}", {"b": 1}),
        ("{a: {b: 1}}", "{a: {b: ~}}", {"a": {}}),
        ("{b: 1}", "{a: null}", {"b": 1, "a": None}),  # nothing to remove: the schema judges it
        ("{a: 1}", "a:\n", {"a": None}),  # a key without a value is a mistake
    ],
)
def test_values_of_the_upper_tree_replace_those_of_the_lower_one(lower: str, upper: str, expected: Any) -> None:
    assert plain(merge(tree(lower), tree(upper))) == expected


def test_every_value_keeps_its_position() -> None:
    merged = merge(tree("a: {b: 1,\n    c: 1}"), tree("a: {c: 2}", "upper"))
    assert isinstance(merged, Mapping)
    inner = merged.get("a")
    assert isinstance(inner, Mapping)
    places = {name: str(node.span) for name, node in inner.items()}
    assert places == {"b": "lower:1:8", "c": "upper:1:8"}
    assert (str(merged.span), str(inner.span)) == ("upper:1:1", "upper:1:4")


def test_the_trees_are_not_changed() -> None:
    lower, upper = tree("{a: {b: 1}}"), tree("{a: {b: null, c: 1}}")
    merge(lower, upper)
    assert (plain(lower), plain(upper)) == ({"a": {"b": 1}}, {"a": {"b": None, "c": 1}})


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ("{launch: {torchrun: {nprocPerNode: 8}}}", "{launch: {jax: {}}}", {"launch": {"jax": {}}}),
        (
            "{launch: {torchrun: {nprocPerNode: 8}}}",
            "{launch: {torchrun: {maxRestarts: 1}}}",
            {"launch": {"torchrun": {"nprocPerNode": 8, "maxRestarts": 1}}},
        ),
        ("{run: {python: [a.py]}}", "{run: {module: [a]}}", {"run": {"module": ["a"]}}),
        ("{env: {A: '1'}}", "{env: {B: '2'}}", {"env": {"A": "1", "B": "2"}}),
        # null in a patch removes what trainc sets, so that it must stay.
        (
            "{podTemplate: {spec: {hostNetwork: true}}}",
            "{podTemplate: {spec: {hostNetwork: null}}}",
            {"podTemplate": {"spec": {"hostNetwork": None}}},
        ),
        ("{podTemplate: {spec: {}}, workers: 1}", "{podTemplate: null}", {"workers": 1}),
    ],
)
def test_a_job_has_one_of_several_fields_and_patches(lower: str, upper: str, expected: Any) -> None:
    merged = merge_jobs(tree(f"{{spec: {lower}}}"), tree(f"{{spec: {upper}}}"))
    assert plain(merged) == {"spec": expected}
