"""Combinations of a matrix. Expected values follow by hand from the rules of GitHub Actions:

https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.diagnostics.diagnostic import Rejected
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.sweep.combinations import combine


def combinations_of(text: str) -> list[dict[str, Any]]:
    combinations, _ = combine(*parsed(text))
    return [{name: plain(value) for name, value in each.items()} for each in combinations]


def parsed(text: str) -> tuple[Mapping, Any]:
    (matrix,), _ = load(Source("matrix.yaml", text))
    assert isinstance(matrix, Mapping)
    return matrix, matrix.span.first


def rejection(text: str) -> list[str]:
    with pytest.raises(Rejected) as rejected:
        combine(*parsed(text))
    return [each.message for each in rejected.value.diagnostics]


def test_the_last_variable_changes_first() -> None:
    assert combinations_of("lr: [0.1, 0.2]\nbatch: [8, 16]\n") == [
        {"lr": 0.1, "batch": 8},
        {"lr": 0.1, "batch": 16},
        {"lr": 0.2, "batch": 8},
        {"lr": 0.2, "batch": 16},
    ]


def test_an_exclusion_needs_only_some_of_the_variables() -> None:
    text = "a: [1, 2]\nb: [x, y]\nc: [t, f]\nexclude:\n- {a: 1, c: f}\n- {b: y, a: 2}\n"
    assert combinations_of(text) == [
        {"a": 1, "b": "x", "c": "t"},
        {"a": 1, "b": "y", "c": "t"},
        {"a": 2, "b": "x", "c": "t"},
        {"a": 2, "b": "x", "c": "f"},
    ]


def test_inclusions_extend_combinations_whose_variables_they_keep() -> None:
    # As in GitHub's example: added values may be overwritten, those of variables not. What changes a variable of all
    # combinations becomes one of its own, which later items don't extend.
    text = """\
model: [small, large]
data: [a, b]
include:
- epochs: 5
- {epochs: 9, data: a}
- {model: small, warmup: 100}
- model: huge
- {model: huge, data: a}
"""
    assert combinations_of(text) == [
        {"model": "small", "data": "a", "epochs": 9, "warmup": 100},
        {"model": "small", "data": "b", "epochs": 5, "warmup": 100},
        {"model": "large", "data": "a", "epochs": 9},
        {"model": "large", "data": "b", "epochs": 5},
        {"model": "huge"},
        {"model": "huge", "data": "a"},
    ]


def test_inclusions_alone_are_the_combinations() -> None:
    assert combinations_of("include:\n- {lr: 1, seed: 7}\n- {lr: 2, seed: 8}\n") == [
        {"lr": 1, "seed": 7},
        {"lr": 2, "seed": 8},
    ]


def test_inclusions_follow_exclusions() -> None:
    # "All include combinations are processed after exclude. This allows you to use include to add back combinations".
    text = "a: [1, 2]\nexclude: [{a: 1}]\ninclude: [{a: 1, b: 3}]\n"
    assert combinations_of(text) == [{"a": 2}, {"a": 1, "b": 3}]


def test_an_inclusion_that_adds_nothing_changes_nothing() -> None:
    assert combinations_of("a: [1, 2]\ninclude: [{a: 1}]\n") == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    ("value", "count"),
    [("1", 1), ("1.0", 1), ('"1"', 2), ("true", 2)],
    ids=["number", "float", "text", "boolean"],
)
def test_values_are_compared_by_type(value: str, count: int) -> None:
    assert len(combinations_of(f"a: [1, 2]\nexclude: [{{a: {value}}}]\n")) == count


def test_mappings_and_lists_are_values() -> None:
    text = "size: [{d: 1, h: 2}, {d: 3, h: 4}]\nargs: [[a], [b]]\nexclude: [{size: {h: 2, d: 1}, args: [a]}]\n"
    assert [each["args"] for each in combinations_of(text)] == [["b"], ["a"], ["b"]]


def test_256_combinations_are_the_most() -> None:
    rows = ", ".join(map(str, range(16)))
    text = f"a: [{rows}]\nb: [{rows}]\n"
    assert len(combinations_of(text)) == 256
    assert rejection(f"{text}include: [{{a: 99}}]\n") == [
        "the matrix has 257 combinations, but at most 256 jobs can be made of a file"
    ]
    assert len(combinations_of(f"{text}include: [{{a: 99}}]\nexclude: [{{a: 1, b: 1}}]\n")) == 256


def test_a_product_of_lists_is_not_computed_if_it_is_huge() -> None:
    rows = ", ".join(map(str, range(1000)))
    text = "".join(f"v{number}: [{rows}]\n" for number in range(9))
    assert rejection(text) == [
        "the matrix has more than 65,536 combinations, but at most 256 jobs can be made of a file"
    ]


def test_exclusions_name_variables_with_a_list() -> None:
    assert rejection("a: [1]\nexclude: [{b: 1}]\ninclude: [{b: 1}]\n") == [
        "`exclude` names `b`, which is no variable of the matrix"
    ]


@pytest.mark.parametrize("field", ["exclude", "include"])
def test_items_that_would_be_compared_for_minutes_are_an_error(field: str) -> None:
    values = ", ".join(map(str, range(256)))
    items = ", ".join(f"{{a: {number}}}" for number in range(100))
    message = f"`{field}` has 100 items for 65,536 combinations: they take too long to compare"
    assert rejection(f"a: [{values}]\nb: [{values}]\n{field}: [{items}]\n") == [message]
