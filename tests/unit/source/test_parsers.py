"""ruamel.yaml's C parser and its Python parser, the fallback on platforms without it, yield the same tree."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.examples import EXAMPLES, example_path
from trainc.source import parser
from trainc.source.load import parse
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Source

TEXTS = {
    "scalars": "a: 1\nb: 'x'\nc: \"y\\n\"\nd:\ne: ~\nf: 0o17\n",
    "tags": "a: !!str 1\nb: ! 2\nc: !!int '3'\nd: !!map {}\ne: !!seq []\nf: !other x\n",
    "anchors": "a: &a {x: 1}\nb: *a\nc:\n  <<: *a\n  x: 2\n",
    "windows": "a:\r\n- 1\r\n- b: 2\r\n",
    "astral": "😀: [日本, 😀y]\né: 'é'\n",
    "documents": "a: 1\n---\n# c\n---\nb: 2\n...\n---\nc: 3\n",
    "duplicates": "a: 1\na: 2\n",
    "flow": "{a: [1, 2, {b: c}], 'd': \"e\"}\n",
    "block scalars": "a: |\n  one\n   two\n\nb: >-\n  x\n  y\nc: |+\n  z\n\n",
    "folded": "a: one\n  two\n\n  three\nb: 'x\n  y'\n",
    "complex key": "{[a]: 1}\n",
    "unknown alias": "a: *gone\n",
    "empty": "",
    "comment": "# nothing\n",
    "byte order mark": "\ufeffa: 1\n",
    "deep": "[" * 70 + "]" * 70,
}


def describe(node: Node) -> Any:
    span = node.span.place[1:3]
    if isinstance(node, Mapping):
        return [span, {key: (describe(entry.key), describe(entry.value)) for key, entry in node.entries.items()}]
    if isinstance(node, Sequence):
        return [span, [describe(item) for item in node.items]]
    assert isinstance(node, Scalar)
    # The parsers place an empty value differently: after its colon, or before the next token.
    return [span if node.text else None, repr(node.value), node.text]


def read(text: str) -> Any:
    documents, problems = parse(Source("job.yaml", text))
    return [describe(document) for document in documents], [(p.code.id, p.span.place[1:3]) for p in problems]


def read_with_python(text: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    with monkeypatch.context() as patch:
        patch.setattr(parser, "_libyaml", lambda: None)
        return read(text)


@pytest.mark.parametrize("name", TEXTS)
def test_both_parsers_yield_the_same_tree(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_with_python(TEXTS[name], monkeypatch) == read(TEXTS[name])


def test_both_parsers_yield_the_same_tree_of_every_example(monkeypatch: pytest.MonkeyPatch) -> None:
    for example in EXAMPLES:
        text = example_path(example).read_text("utf-8")
        assert read_with_python(text, monkeypatch) == read(text), example


# Positions differ by a character or a line, and so do messages.
@pytest.mark.parametrize(
    "text", ["a: [\n", "a: 'x\n", "a:\n\t- b\n", "a: b: c\n", "- a\nb: 1\n", "a: @x\n", "a: \x07\n"]
)
def test_both_parsers_reject(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, python_problems = read_with_python(text, monkeypatch)
    _, c_problems = read(text)
    assert [code for code, _ in python_problems] == [code for code, _ in c_problems] != []
