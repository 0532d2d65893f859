"""The reader of a subset of YAML returns the full parser's tree, with all positions, or leaves the text to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.job import JOB
from tests.support.examples import ROOT
from trainc.source.load import parse
from trainc.source.node import Mapping, Node, Sequence
from trainc.source.subset import read_subset
from trainc.span import Source

FILES = {path: path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("*.yaml"))}
OTHERS = [
    path.read_text("utf-8", errors="replace")
    for folder in ("tests/acceptance/bad", "tests/acceptance/good", "tests/acceptance/imported", "golden")
    for path in sorted((ROOT / folder).rglob("*.yaml"))
]
# Indicators and other parts of YAML that a change of a text inserts.
PARTS = [
    *("\n", "\n\n", " ", "  ", ": ", ":", "- ", "-", "#", " # ", '"', "'", '""', "''", "{", "}", "{}", "[", "]", "[]"),
    *(",", ", ", "\t", "\r", "|", "|\n", "> ", "&a ", "*a", "!x ", "~", "null", "...", "---\n", "? ", "%", "@", "`"),
    *("<<: ", "\\", "=", "1", "a", "a: b", "- a: b\n", "é", "\x85", "\x00", "true"),
]


def describe(node: Node) -> Any:
    if isinstance(node, Mapping):
        entries = [(name, describe(entry.key), describe(entry.value)) for name, entry in node.entries.items()]
        return node.span.place, entries
    if isinstance(node, Sequence):
        return node.span.place, [describe(item) for item in node.items]
    return node.span.place, type(node), repr(node.value), node.text


def is_read(text: str) -> bool:
    """Return whether the text is in the subset; it is then the full parser's only document, without a problem."""
    source = Source("job.yaml", text)
    node = read_subset(source)
    if node is None:
        return False
    documents, problems = parse(source)
    assert problems == []
    assert [describe(document) for document in documents] == [describe(node)]
    return True


def test_most_examples_are_in_the_subset() -> None:
    single = [text for text in FILES.values() if "\n---\n" not in text]  # the subset has one document
    assert len(single) > 0.9 * len(FILES)
    assert sum(map(is_read, single)) > 0.9 * len(single)


def test_other_files_have_the_same_tree() -> None:
    assert sum(map(is_read, OTHERS)) > 0.5 * len(OTHERS)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n",
        "---\n# b\na: 1  # c\n\nb:\n- x\n-   y\nc:\n  - k: 1\n    l:\n    - m\n  - n\nd: e\n",
        "  a:\n      b: c\n  d: e\n",
        "a: s3://b/c:1\nb: x#y\nc: a  b - c\nd: --lr=0.1\ne: (x) [y] {z} 'q' \"r\" & * !\n",
        "a: 'x # y: z'\nb: \"it's\"\nc: ''\nd: [a, -1, \"b, c\", ['d', {e: f, g: []}], {}] # h\n",
        "a: 0x1F\nb: 0o17\nc: 1e3\nd: ~\ne: True\nf: 0400\n1: g\nnull: h\n",
    ],
)
def test_the_same_tree(text: str) -> None:
    assert is_read(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "# a\n", "a: 1", "a: 1\n# b", "a:\n", "a:\nb: 1\n", "- a\n", "a\n", "a: b: c\n", "a: 1\na: 2\n"),
        *("a: b\n  c\n", "a: [b,\n  c]\n", "a: [b,]\n", "a: [,b]\n", "a: [b}\n", "a: [b: c]\n", "a: {b}\n"),
        *("a: {b: 1, b: 2}\n", "a: [b:c]\n", "a: |\n  b\n", "a: &b c\n", "a: !!str 1\n", 'a: "\\n"\n', "a: 'b''c'\n"),
        *('"a": b\n', "? a\n", "a:\tb\n", "a: 1\n---\nb: 2\n", "a: 1\n...\n", "%YAML 1.2\n", "a:\n- b\n  c\n"),
        *("a:\n  - b\n c: d\n", "a:\n - b\n- c\n", "- - a\n", "a: 1\r\n", "a: \x07\n", "a:\n  b: 1\n c: 2\n", "a: é\n"),
        *(" a: 1\nb: 2\n", "<<: a\n", "a: - b\n", "a: @b\n", "a: 'b' c\n"),
        "".join(f"{' ' * depth}a:\n" for depth in range(70)) + " " * 70 + "a: 1\n",
        "a: " + "[" * 40 + "]" * 40 + "\n",
    ],
)
def test_other_texts_are_left_to_the_full_parser(text: str) -> None:
    assert not is_read(text)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([JOB, *FILES.values()]), st.data())
def test_changed_texts_have_the_same_tree(text: str, data: st.DataObject) -> None:
    lines = text.splitlines(keepends=True)
    first = data.draw(st.integers(0, len(lines) - 1))
    text = "".join(lines[first : first + data.draw(st.integers(1, 12))])
    for _ in range(data.draw(st.integers(1, 3))):
        at, removed = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 5))
        text = text[:at] + data.draw(st.sampled_from(["", *PARTS])) + text[at + removed :]
    is_read(text)


def test_a_long_line_takes_linear_time() -> None:
    """Each of these is rejected at its end only; a reader that tried again at each character would not return."""
    for part in ("a ", "- ", "a: ", "[", "'", "a:"):
        assert read_subset(Source("job.yaml", "a: " + part * 500_000 + "\t\n")) is None
