"""llms.txt: every page of the navigation, each with the first sentence of its text."""

from __future__ import annotations

import re

import pytest

from tools.llms import INDEX, first_sentence
from tools.site.links import DOCS, OUTSIDE, ROOT


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("# Plan\n\n`trainc plan` shows pods. It\nneeds no cluster.\n", "`trainc plan` shows pods"),
        (
            "# Import\n\ntrainc reads [jobs](import.md#kinds)\nof others:\n\n    trainc import\n",
            "trainc reads jobs of others",
        ),
        ("---\nname: trainc\n---\n\n# Skill\n\nIt needs Python 3.11 or newer.\n", "It needs Python 3.11 or newer"),
    ],
)
def test_the_first_sentence_of_a_page(page: str, sentence: str) -> None:
    assert first_sentence(page) == sentence


@pytest.mark.parametrize("start", ["| a | b |", "```sh\nmake", "## Setup", "- an item.", "    make site", "no end"])
def test_a_page_that_begins_with_something_else_is_an_error(start: str) -> None:
    with pytest.raises(ValueError, match="does not begin with a sentence"):
        first_sentence(f"# Title\n\n{start}\n")


def test_every_page_of_the_navigation_is_listed_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    outside = {target: name for name, target in OUTSIDE.items() if target != "README.md"}
    places = re.findall(r"^ *- [^#\n]*: (\S+\.(?:md|html))$", navigation, re.MULTILINE)
    pages = {(ROOT / outside[place] if place in outside else DOCS / place) for place in places}
    items = re.findall(r"^- \[[^]]+\]\(([^)]+)\): .+$", INDEX.read_text("utf-8"), re.MULTILINE)
    assert len(items) == len(set(items))
    # The index of the decisions exists in the site only.
    assert {(INDEX.parent / item).resolve() for item in items} == pages - {DOCS / "adr" / "README.md"}
