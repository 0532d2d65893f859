"""Anchors, aliases, merge keys, tags and duplicate keys; PyYAML is the reference."""

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


def load_value(text: str) -> Any:
    documents, problems = load(Source("job.yaml", text))
    assert problems == []
    return plain(documents[0])


def diagnose(text: str) -> list[Diagnostic]:
    return load(Source("job.yaml", text))[1]


MERGES = {
    "one base": "b: &b {x: 1, y: 2}\nr:\n  <<: *b\n",
    "a key after the merge overrides it": "b: &b {x: 1, y: 2}\nr:\n  <<: *b\n  x: 3\n",
    "a key before the merge overrides it": "b: &b {x: 1, y: 2}\nr:\n  x: 3\n  <<: *b\n",
    "the first of two bases wins": "b: &b {x: 1, y: 2}\nc: &c {x: 9, z: 3}\nr:\n  <<: [*b, *c]\n",
    "the first of two bases wins in any order": "b: &b {x: 1, y: 2}\nc: &c {x: 9, z: 3}\nr:\n  <<: [*c, *b]\n  y: 0\n",
    "a base with a base": "b: &b {x: 1, y: 2}\nc: &c {<<: *b, x: 5}\nr:\n  <<: *c\n",
    "an inline base": "r: {<<: {x: 1}, y: 2}\n",
    "no bases": "r: {<<: [], y: 2}\n",
    "nested mappings are not merged": "b: &b {x: {p: 1}}\nr:\n  <<: *b\n  x: {q: 2}\n",
    "a quoted key": "b: &b {x: 1}\nr:\n  <<: *b\n  'x': 2\n",
    "a quoted merge key": "r: {'<<': {x: 1}, y: 2}\n",
}


@pytest.mark.parametrize("name", MERGES)
def test_merge_keys_match_pyyaml(name: str) -> None:
    assert load_value(MERGES[name]) == yaml.safe_load(MERGES[name])


def test_two_merge_keys_are_an_error_or_match_pyyaml() -> None:
    """YAML requires unique keys; readers disagree on which of the two wins."""
    text = "b: &b {x: 1}\nc: &c {x: 2}\nr:\n  <<: *b\n  <<: *c\n"
    documents, problems = load(Source("job.yaml", text))
    rejected = [problem.code for problem in problems] == [codes.DUPLICATE_KEY]
    assert rejected or plain(documents[0]) == yaml.safe_load(text)


MAPPINGS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 99), max_size=4)


@settings(deadline=None)
@given(st.lists(MAPPINGS, min_size=1, max_size=3), MAPPINGS, st.booleans())
def test_any_merge_matches_pyyaml(bases: list[dict[str, int]], direct: dict[str, int], merge_first: bool) -> None:
    anchors = [f"b{index}: &b{index} {base}" for index, base in enumerate(bases)]
    merge = [f"<<: [{', '.join(f'*b{index}' for index in range(len(bases)))}]"]
    keys = [f"'{name}': {number}" for name, number in direct.items()]
    text = "\n".join([*anchors, "r:", *(f"  {line}" for line in (merge + keys if merge_first else keys + merge))])
    assert load_value(text) == yaml.safe_load(text)


def test_a_duplicate_key_is_reported_with_the_first_definition() -> None:
    (problem,) = diagnose("a: 1\nb: 2\na: 3\n")
    assert (problem.code, problem.span.line, problem.related[0].span.line) == (codes.DUPLICATE_KEY, 3, 1)


@pytest.mark.parametrize(
    "text", ["{a: 1, 'a': 2}", "{a: {b: 1, b: 2}}", "[{a: 1, a: 2}]", "{<<: {a: 0}, a: 1, a: 2}", "{1: a, '1': b}"]
)
def test_keys_that_are_equal_in_json_are_duplicates(text: str) -> None:
    assert [problem.code for problem in diagnose(text)] == [codes.DUPLICATE_KEY]


def test_each_duplicate_is_an_error_and_the_first_value_remains() -> None:
    documents, problems = load(Source("job.yaml", "{a: 1, a: 2, a: 3}"))
    assert len(problems) == 2
    assert plain(documents[0]) == {"a": 1}


def test_anchors_can_be_redefined_and_end_with_their_document() -> None:
    assert load_value("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]
    assert [problem.code for problem in diagnose("a: &a 1\n---\nb: *a\n")] == [codes.INVALID_ALIAS]


@pytest.mark.parametrize("text", ["a: *gone", "a: &a [*a]", "a: &a {b: *a}", "a: &a {<<: *a}", "{<<: 1}", "{<<: [1]}"])
def test_unknown_recursive_and_non_mapping_aliases_are_errors(text: str) -> None:
    assert [problem.code for problem in diagnose(text)] == [codes.INVALID_ALIAS]


def test_an_alias_can_be_a_key() -> None:
    assert load_value("{a: &a x, *a : 1}") == {"a": "x", "x": 1}


@pytest.mark.parametrize("text", ["{[a]: 1}", "{{a: 1}: 2}", "a: {{ name }}", "a: &a [1]\n*a : 2"])
def test_collections_as_keys_are_errors(text: str) -> None:
    assert codes.NON_STRING_KEY in [problem.code for problem in diagnose(text)]


@pytest.mark.parametrize("depth", [64, 65])
def test_nesting_is_limited_to_64_levels(depth: int) -> None:
    problem_codes = [problem.code for problem in diagnose("[" * depth + "]" * depth)]
    assert problem_codes == ([] if depth == 64 else [codes.NESTING_TOO_DEEP])


def test_100000_open_brackets_are_one_error() -> None:
    assert [problem.code for problem in diagnose("[" * 100_000)] == [codes.NESTING_TOO_DEEP]


def test_aliases_count_towards_the_nesting_limit() -> None:
    opening, closing = "[" * 50, "]" * 50
    lines = [f"a{number}: &a{number} {opening}*a{number - 1}{closing}" for number in range(1, 40)]
    documents, problems = load(Source("job.yaml", "\n".join(["a0: &a0 1", *lines])))
    assert [problem.code for problem in problems] in ([codes.NESTING_TOO_DEEP], [codes.INVALID_ALIAS])
    for document in documents:
        plain(document)


def test_an_alias_bomb_is_one_error() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for name, previous in zip(string.ascii_lowercase[1:], string.ascii_lowercase, strict=False):
        lines.append(f"{name}: &{name} [{', '.join([f'*{previous}'] * 9)}]")
    assert [problem.code for problem in diagnose("\n".join(lines))] == [codes.INVALID_ALIAS]


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
def test_core_schema_tags_set_the_type(text: str, expected: object) -> None:
    assert repr(load_value(f"- {text}\n")[0]) == repr(expected)


@pytest.mark.parametrize("text", ["!!int a", "!!python/name:os.system x", "!Ref a", "!!bool 1", "!!set {a}", "!x [1]"])
def test_other_tags_are_errors(text: str) -> None:
    assert codes.UNSUPPORTED_TAG in [problem.code for problem in diagnose(f"a: {text}")]


def test_empty_documents_are_skipped() -> None:
    documents, problems = load(Source("x", "---\n# nothing\n---\na: 1\n---\n---\nb: 2\n...\n"))
    assert problems == []
    assert [plain(document) for document in documents] == [{"a": 1}, {"b": 2}]


def test_documents_before_a_syntax_error_are_returned() -> None:
    documents, problems = load(Source("x", "a: 1\n---\nb: [\n"))
    assert [problem.code for problem in problems] == [codes.YAML_SYNTAX]
    assert [plain(document) for document in documents if isinstance(document, Mapping)] == [{"a": 1}]
