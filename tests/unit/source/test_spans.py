"""Positions of nodes: lines and columns from 1, in code points, the end exclusive."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from trainc.emit.block import block
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain
from trainc.source.object_tree import object_tree
from trainc.span import Number, Source, Span, Text, like, span_of

SOMEWHERE = Span(Source("", ""), 1, 1, 1, 1)


def document(text: str) -> Node:
    documents, problems = load(Source("job.yaml", text))
    assert problems == []
    return documents[0]


def node_at(text: str, *path: str | int) -> Node:
    node = document(text)
    for step in path:
        if isinstance(step, int):
            assert isinstance(node, Sequence)
            node = node.items[step]
        else:
            assert isinstance(node, Mapping)
            child = node.get(step)
            assert child is not None
            node = child
    return node


def position(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


def key_span(text: str, name: str) -> Span:
    node = document(text)
    assert isinstance(node, Mapping)
    return node.entries[name].key.span


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("a: 1\n", ["a"], (1, 4, 1, 5)),
        ("a: hello world\n", ["a"], (1, 4, 1, 15)),
        ('a: "x\\ty"\n', ["a"], (1, 4, 1, 10)),  # includes the quotes
        ("a:\n  b: [x, yz]\n", ["a", "b", 1], (2, 10, 2, 12)),
        ("a:\r\n  b: 1\r\nc: 2\r\n", ["c"], (3, 4, 3, 5)),
        ("a: 1\rb: 2\r", ["b"], (2, 4, 2, 5)),
        ("😀: [日本, 😀y]\n", ["😀", 1], (1, 9, 1, 11)),
        ("e: 'é'  # comment\nb: 1", ["b"], (2, 4, 2, 5)),
        ("a:\t1\n", ["a"], (1, 4, 1, 5)),  # a tab is one column
        ("# one\n\n---\na: 1\n", ["a"], (4, 4, 4, 5)),
        ("a: {b: 1}\n", ["a"], (1, 4, 1, 10)),
        ("a: [1,\n  2]\n", ["a"], (1, 4, 2, 5)),
    ],
)
def test_position_of_a_value(text: str, path: list[str], expected: tuple[int, int, int, int]) -> None:
    assert position(node_at(text, *path).span) == expected


def test_position_of_a_key() -> None:
    assert position(key_span("a: 1\nlonger: 2\n", "longer")) == (2, 1, 2, 7)
    assert position(key_span("a: {'q': 1}", "a")) == (1, 1, 1, 2)


@pytest.mark.parametrize("indicator", ["|", ">", "|-", ">+"])
def test_a_block_scalar_starts_at_its_indicator(indicator: str) -> None:
    node = node_at(f"a: {indicator}\n  one\n  two\nb: 1\n", "a")
    assert (node.span.line, node.span.column) == (1, 4)
    assert node.span.end_line in (3, 4)
    assert position(node_at(f"a: {indicator}\n  one\n  two\nb: 1\n", "b").span) == (4, 4, 4, 5)


def test_an_aliased_value_has_the_position_of_its_anchor() -> None:
    text = "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n"
    assert position(node_at(text, "c", "b").span) == (1, 11, 1, 12)
    assert position(node_at(text, "d", "b").span) == (1, 11, 1, 12)


def test_a_byte_order_mark_has_no_column() -> None:
    assert position(node_at("\ufeffa: 1\n", "a").span) == (1, 4, 1, 5)


def test_line_numbers_of_spans_match_those_of_the_source() -> None:
    """The parser counts the line breaks of YAML 1.1, including NEL and the Unicode separators."""
    text = 'a: "x\u0085y\u2028z\u2029"\r\nb: 1\rc: 2\nd: 3'
    node = document(text)
    assert isinstance(node, Mapping)
    source = node.span.source
    for name in "bcd":
        assert source.line(node.entries[name].key.span.line).startswith(f"{name}: ")
    assert source.line(0) == source.line(99) == ""


def test_offsets_become_positions() -> None:
    source = Source("x", "ab\r\ncd\n😀e")
    assert position(source.span_at(0)) == (1, 1, 1, 2)
    assert position(source.span_at(5)) == (2, 2, 2, 3)
    assert position(source.span_at(8)) == (3, 2, 3, 3)


def test_where_returns_the_scalar_or_the_key_of_a_field() -> None:
    node = document("a: 1\nb: {c: 1}\n")
    assert isinstance(node, Mapping)
    assert position(node.where("a")) == (1, 4, 1, 5)
    assert position(node.where("b")) == (2, 1, 2, 2)
    assert node.where("gone") is node.span


def test_plain_values_keep_their_spans() -> None:
    values = plain(document('a: [x, 1, 1.0, true, null, "1", {b: 2}]\n'))
    assert repr(values) == "{'a': ['x', 1, 1.0, True, None, '1', {'b': 2}]}"
    spans = [span_of(value) for value in (values, *values["a"])]
    columns = [span and span.column for span in spans]
    assert columns == [1, 5, 8, None, None, None, 28, 33]
    assert isinstance(values["a"][0], Text)


def test_a_number_with_a_span_is_a_plain_number() -> None:
    number = plain(document("a: 7\n"))["a"]
    assert isinstance(number, Number)
    assert (number, hash(number), f"{number}", f"{number:03}", json.dumps([number])) == (7, hash(7), "7", "007", "[7]")
    assert type(number + 1) is int
    assert block({"a": number}) == "a: 7"


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_keep_their_spans(duplicate: Callable[[Any], Any]) -> None:
    values = duplicate(plain(document("a: [x, 7, {}]\n")))
    assert values == {"a": ["x", 7, {}]}
    assert [str(span_of(value)) for value in values["a"]] == ["job.yaml:1:5", "job.yaml:1:8", "job.yaml:1:11"]


def test_a_changed_mapping_keeps_its_positions() -> None:
    own = plain(document("a: true\nb: [1]\n"))
    tree = object_tree({"x": like(own, {**own, "c": True}), "y": like(None, {"d": 1})}, SOMEWHERE)
    assert isinstance(tree, Mapping)
    x, y = tree.get("x"), tree.get("y")
    assert isinstance(x, Mapping)
    assert isinstance(y, Mapping)
    assert [position(entry.key.span) for entry in x.entries.values()] == [(1, 1, 1, 2), (2, 1, 2, 2), (1, 1, 3, 1)]
    assert [position(value.span) for _, value in x.items()] == [(1, 4, 1, 8), (2, 4, 2, 7), (1, 1, 3, 1)]
    assert y.where("d") is SOMEWHERE


def test_a_key_with_a_span_has_the_position_of_its_value() -> None:
    own = Text("a", Span(Source("x", "abc"), 1, 2, 1, 3))
    tree = object_tree({own: True, "b": True}, SOMEWHERE)
    assert isinstance(tree, Mapping)
    assert tree.where("a") is own.span
    assert tree.where("b") is SOMEWHERE


def test_scalars_keep_their_source_text() -> None:
    node = node_at("a: 0x1F\n", "a")
    assert isinstance(node, Scalar)
    assert (node.value, node.text) == (31, "0x1F")


def test_spans_can_be_extended() -> None:
    span = Span(Source("x", "abc"), 1, 2, 3, 4)
    assert span.first.place == ("x", 1, 2, 1, 3)
    assert span.until(5, 6).place == ("x", 1, 2, 5, 6)
