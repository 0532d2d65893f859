"""The lines of an object's leaves are those that PyYAML finds in its text."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.examples import ROOT, is_users_object
from tests.support.hostile import HOSTILE
from tests.support.source_maps import fields
from trainc.emit.block import document
from trainc.provenance.lines import leaves, written_tree


def assert_lines_of_pyyaml(value: dict[str, Any]) -> None:
    (expected,) = fields(document(value))
    lines = {}
    for path, leaf in leaves(written_tree(value)):
        pointer = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
        lines[pointer] = leaf.line
        if "\n" not in leaf.text:
            read = yaml.safe_load(leaf.text)
            dumped = str(yaml.safe_load(yaml.safe_dump(expected[pointer].value)))
            assert str(read) == dumped or not isinstance(read, str)
    assert lines == {name: each.line for name, each in expected.items()}


@pytest.mark.slow
def test_goldens() -> None:
    for file in sorted((ROOT / "golden").glob("*/job.yaml")):
        for manifest in yaml.safe_load_all(file.read_text("utf-8")):
            if not is_users_object(file.parent.name, manifest):
                assert_lines_of_pyyaml(manifest)


def test_hostile_texts_as_keys_values_items_and_blocks() -> None:
    for text in HOSTILE:
        assert_lines_of_pyyaml({"a": {text: {"b": text}}, "c": [text, [text, {text: f"{text}\n# d: e\n"}]]})


def test_a_long_key_has_a_line_of_its_own() -> None:
    assert_lines_of_pyyaml({"a" * 1001: {"b" * 1001: "c"}, "d": [{"e" * 1001: 1}]})


def test_the_last_line_of_a_block_is_its_own() -> None:
    tree = written_tree({"a": ["b\n\nc: d\n", "e"], "f": "g\n", "h": 1})
    assert [(leaf.line, leaf.end) for _, leaf in leaves(tree)] == [(2, 5), (6, 6), (7, 8), (9, 9)]


def test_a_text_that_ends_with_blank_lines_ends_on_the_last_line() -> None:
    # At the end of a manifest it is written in quotes.
    tree = written_tree({"a": "b\n\n\n", "c": "d\n\n\n"})
    assert [(leaf.line, leaf.end) for _, leaf in leaves(tree)] == [(1, 4), (5, 5)]
