"""The reader of lines finds the fields that PyYAML finds, in every golden and in hostile text."""

from __future__ import annotations

import pytest
import yaml

from tests.support.examples import ROOT, is_users_object
from tests.support.hostile import HOSTILE
from tests.support.source_maps import fields
from trainc.emit.block import document
from trainc.provenance.lines import leaves, read_tree, unquote


def own_fields(text: str) -> dict[str, tuple[str, int]]:
    result = {}
    for path, leaf in leaves(read_tree(text)):
        steps = [str(step) if isinstance(step, int) else unquote(step) for step in path]
        pointer = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
        result[pointer] = (leaf.text, leaf.line)
    return result


def assert_read_like_pyyaml(text: str) -> None:
    (expected,) = fields(text)
    own = own_fields(text)
    assert {pointer: line for pointer, (_, line) in own.items()} == {name: each.line for name, each in expected.items()}
    for pointer, (spelling, _) in own.items():
        if "\n" not in spelling:
            read = yaml.safe_load(spelling)
            assert str(read) == str(yaml.safe_load(yaml.safe_dump(expected[pointer].value))) or not isinstance(
                read, str
            )


@pytest.mark.slow
def test_goldens() -> None:
    for file in sorted((ROOT / "golden").glob("*/job.yaml")):
        for text in file.read_text("utf-8").split("\n---\n"):
            if not is_users_object(file.parent.name, yaml.safe_load(text)):
                assert_read_like_pyyaml(text)


def test_hostile_texts_as_keys_values_items_and_blocks() -> None:
    for text in HOSTILE:
        assert_read_like_pyyaml(document({"a": {text: {"b": text}}, "c": [text, [text, {text: f"{text}\n# d: e\n"}]]}))


def test_the_last_line_of_a_block_is_its_own() -> None:
    tree = read_tree(document({"a": ["b\n\nc: d\n", "e"], "f": "g\n", "h": 1}))
    assert [(leaf.line, leaf.end) for _, leaf in leaves(tree)] == [(2, 5), (6, 6), (7, 8), (9, 9)]


def test_a_collection_in_flow_style_is_a_leaf() -> None:
    # As in a template of a plug-in.
    text = "a: {b: c,\n  d: e}\n# comment\nf:\n  - g\n  -   h: i\n"
    assert [(leaf.line, leaf.end) for _, leaf in leaves(read_tree(text))] == [(1, 2), (5, 5), (6, 6)]
