"""Anchors, aliases, merge keys, tags and duplicate keys become the tree that other readers see."""

from __future__ import annotations

import string
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source


def value(text: str) -> Any:
    documents, problems = load(Source("job.yaml", text))
    assert problems == []
    return plain(documents[0])


def said(text: str) -> list[Diagnostic]:
    return load(Source("job.yaml", text))[1]


MERGES = {
    "one base": "b: &b {x: 1, y: 2}\nr:\n  <<: *b\n",
    "an own key after the merge wins": "b: &b {x: 1, y: 2}\nr:\n  <<: *b\n  x: 3\n",
    "an own key before the merge wins": "b: &b {x: 1, y: 2}\nr:\n  x: 3\n  <<: *b\n",
    "of two bases the first wins": "b: &b {x: 1, y: 2}\nc: &c {x: 9, z: 3}\nr:\n  <<: [*b, *c]\n",
    "of two bases in the other order too": "b: &b {x: 1, y: 2}\nc: &c {x: 9, z: 3}\nr:\n  <<: [*c, *b]\n  y: 0\n",
    "a base that has a base": "b: &b {x: 1, y: 2}\nc: &c {<<: *b, x: 5}\nr:\n  <<: *c\n",
    "a base written out": "r: {<<: {x: 1}, y: 2}\n",
    "no bases": "r: {<<: [], y: 2}\n",
    "values are not merged into each other": "b: &b {x: {p: 1}}\nr:\n  <<: *b\n  x: {q: 2}\n",
    "a name that is a number": "b: &b {x: 1}\nr:\n  <<: *b\n  'x': 2\n",
    "a quoted name": "r: {'<<': {x: 1}, y: 2}\n",
}


@pytest.mark.parametrize("name", MERGES)
def test_merge_keys_are_read_as_pyyaml_reads_them(name: str) -> None:
    assert value(MERGES[name]) == yaml.safe_load(MERGES[name])


def test_two_merge_keys_are_refused_or_read_as_pyyaml_reads_them() -> None:
    """YAML wants keys to be unique; no two readers agree on which of the two wins."""
    text = "b: &b {x: 1}\nc: &c {x: 2}\nr:\n  <<: *b\n  <<: *c\n"
    documents, problems = load(Source("job.yaml", text))
    refused = [problem.code for problem in problems] == [codes.DUPLICATE_KEY]
    assert refused or plain(documents[0]) == yaml.safe_load(text)


NAMES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 99), max_size=4)


@settings(deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=3), NAMES, st.booleans())
def test_any_merge_is_read_as_pyyaml_reads_it(bases: list[dict[str, int]], own: dict[str, int], first: bool) -> None:
    anchors = [f"b{at}: &b{at} {base}" for at, base in enumerate(bases)]
    merge = [f"<<: [{', '.join(f'*b{at}' for at in range(len(bases)))}]"]
    keys = [f"'{name}': {number}" for name, number in own.items()]
    text = "\n".join([*anchors, "r:", *(f"  {line}" for line in (merge + keys if first else keys + merge))])
    assert value(text) == yaml.safe_load(text)


def test_a_key_given_twice_is_an_error_at_the_second_that_shows_the_first() -> None:
    (problem,) = said("a: 1\nb: 2\na: 3\n")
    assert (problem.code, problem.span.line, problem.related[0].span.line) == (codes.DUPLICATE_KEY, 3, 1)


@pytest.mark.parametrize(
    "text", ["{a: 1, 'a': 2}", "{a: {b: 1, b: 2}}", "[{a: 1, a: 2}]", "{<<: {a: 0}, a: 1, a: 2}", "{1: a, '1': b}"]
)
def test_keys_are_the_same_if_they_are_the_same_key_in_json(text: str) -> None:
    assert [problem.code for problem in said(text)] == [codes.DUPLICATE_KEY]


def test_a_key_given_three_times_is_two_errors_and_the_first_value_stays() -> None:
    documents, problems = load(Source("job.yaml", "{a: 1, a: 2, a: 3}"))
    assert len(problems) == 2
    assert plain(documents[0]) == {"a": 1}


def test_an_anchor_may_be_given_anew_and_ends_with_its_document() -> None:
    assert value("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]
    assert [problem.code for problem in said("a: &a 1\n---\nb: *a\n")] == [codes.INVALID_ALIAS]


@pytest.mark.parametrize("text", ["a: *gone", "a: &a [*a]", "a: &a {b: *a}", "a: &a {<<: *a}", "{<<: 1}", "{<<: [1]}"])
def test_an_alias_that_leads_nowhere_or_into_itself_is_an_error(text: str) -> None:
    assert [problem.code for problem in said(text)] == [codes.INVALID_ALIAS]


def test_an_alias_may_be_a_key() -> None:
    assert value("{a: &a x, *a : 1}") == {"a": "x", "x": 1}


@pytest.mark.parametrize("text", ["{[a]: 1}", "{{a: 1}: 2}", "a: {{ name }}", "a: &a [1]\n*a : 2"])
def test_a_collection_is_no_key(text: str) -> None:
    assert codes.NON_STRING_KEY in [problem.code for problem in said(text)]


@pytest.mark.parametrize("depth", [64, 65])
def test_64_levels_are_read_and_65_are_not(depth: int) -> None:
    found = [problem.code for problem in said("[" * depth + "]" * depth)]
    assert found == ([] if depth == 64 else [codes.NESTING_TOO_DEEP])


def test_a_hundred_thousand_open_brackets_are_one_error() -> None:
    assert [problem.code for problem in said("[" * 100_000)] == [codes.NESTING_TOO_DEEP]


def test_aliases_cannot_nest_deeper_than_brackets_can() -> None:
    open_, close = "[" * 50, "]" * 50
    deep = [f"a{number}: &a{number} {open_}*a{number - 1}{close}" for number in range(1, 40)]
    documents, problems = load(Source("job.yaml", "\n".join(["a0: &a0 1", *deep])))
    assert [problem.code for problem in problems] in ([codes.NESTING_TOO_DEEP], [codes.INVALID_ALIAS])
    for document in documents:
        plain(document)


def test_an_alias_bomb_is_one_error_soon() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for name, before in zip(string.ascii_lowercase[1:], string.ascii_lowercase, strict=False):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    assert [problem.code for problem in said("\n".join(lines))] == [codes.INVALID_ALIAS]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!!str 1", "1"),
        ("! 1", "1"),
        ("!!int 1", 1),
        ("!!float 1.0", 1.0),
        ("!!bool true", True),
        ("!!null ''", None),
        ("!!str", ""),
        ("'1'", "1"),
        ("!!map {a: 1}", {"a": 1}),
        ("!!seq [1]", [1]),
    ],
)
def test_a_tag_of_the_core_schema_decides_the_type(text: str, expected: object) -> None:
    assert repr(value(f"- {text}\n")[0]) == repr(expected)


@pytest.mark.parametrize("text", ["!!int a", "!!python/name:os.system x", "!Ref a", "!!bool 1", "!!set {a}", "!x [1]"])
def test_any_other_tag_is_an_error(text: str) -> None:
    assert codes.UNSUPPORTED_TAG in [problem.code for problem in said(f"a: {text}")]


def test_empty_documents_are_left_out() -> None:
    documents, problems = load(Source("x", "---\n# nothing\n---\na: 1\n---\n---\nb: 2\n...\n"))
    assert problems == []
    assert [plain(document) for document in documents] == [{"a": 1}, {"b": 2}]


def test_after_a_syntax_error_the_documents_before_it_remain() -> None:
    documents, problems = load(Source("x", "a: 1\n---\nb: [\n"))
    assert [problem.code for problem in problems] == [codes.YAML_SYNTAX]
    assert [plain(document) for document in documents if isinstance(document, Mapping)] == [{"a": 1}]
