"""YAML 1.2 and JSON that ruamel.yaml's C parser rejects: the Python parser reads them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.command import JOB
from trainc.source.load import MAXIMUM_CHARACTERS_SLOWLY, load
from trainc.source.node import plain
from trainc.span import Source


def read(text: str) -> tuple[list[Any], list[str]]:
    documents, problems = load(Source("job.yaml", text))
    return [plain(document) for document in documents], [f"{p.code.id} {p.span.line}:{p.span.column}" for p in problems]


@pytest.mark.parametrize(
    "text",
    [
        "[--data=s3://bucket/x, img:1.0, http://a:80/b]",
        "{spec: a/b:1, run: {python: [t.py, a:b]}}",
        "a: [x:y]\nb: |\n  c:d\n",
        "- [a:b]\n- &x {c: d:e}\n- *x\n",
    ],
)
def test_plain_scalars_in_flow_collections_may_contain_colons(text: str) -> None:
    """https://yaml.org/spec/1.2.2/#733-plain-style"""
    assert read(text) == ([yaml.safe_load(text)], [])


def test_json_surrogate_pairs_are_one_character() -> None:
    """https://www.rfc-editor.org/rfc/rfc8259#section-7"""
    assert read('{"a": "\\ud83d\\ude00 \\u00e9"}') == ([{"a": "😀 é"}], [])


def test_a_lone_surrogate_is_an_error_in_json() -> None:
    documents, problems = read('{"a": "\\ud83d"}')
    assert (documents, problems) == ([], ["TC1002 1:7"])


def test_later_errors_keep_their_positions() -> None:
    assert read("a: [b:c]\nd: @e\n")[1] == ["TC1003 2:4"]
    text = JOB.replace("[train.py]", "[train.py, a:b]")
    assert read(text + "  workers: 3\n")[1] == ["TC1004 12:3"]


def test_large_texts_are_not_parsed_in_python() -> None:
    """The Python parser takes a second for 100 kB."""
    text = "# " + "x" * MAXIMUM_CHARACTERS_SLOWLY + "\na: [b:c]\n"
    assert read(text) == ([], ["TC1003 2:6"])
