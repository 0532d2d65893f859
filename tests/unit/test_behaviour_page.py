"""Every row of docs/behaviour.md names the tests that show it, and each of them is there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.support.examples import ROOT

PAGE = (ROOT / "docs" / "behaviour.md").read_text("utf-8")
NAME = re.compile(r"`(test_\w+)`")
UNSHOWN = "*no test*"


def rows(page: str) -> Iterator[str]:
    """The last cells of all tables' rows; of a table's head it is a word for them."""
    for before, line in zip(["", *page.splitlines()], page.splitlines(), strict=False):
        if not line.startswith("|") or set(line) <= set("|-"):
            continue
        last = line.rstrip("|").rpartition("|")[2].strip()
        if before.startswith("|"):
            yield last
        else:
            assert last == "shown by", line


def known() -> set[str]:
    texts = (file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in texts for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE)}


def test_every_row_names_its_tests_or_says_that_there_is_none() -> None:
    for cell in rows(PAGE):
        assert cell == UNSHOWN or (NAME.findall(cell) and not NAME.sub("", cell).strip()), cell


def test_every_test_that_the_page_names_is_there() -> None:
    assert set(NAME.findall(PAGE)) - known() == set()
    assert NAME.findall(PAGE)


def test_a_row_without_a_name_is_seen() -> None:
    page = "| what | shown by |\n|---|---|\n| a | `test_b` |\n| c | seen |\n"
    assert list(rows(page)) == ["`test_b`", "seen"]
