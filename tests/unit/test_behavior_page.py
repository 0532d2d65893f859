"""Every row of docs/behavior.md names the tests that show it, and these tests exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.support.examples import ROOT

PAGE = (ROOT / "docs" / "behavior.md").read_text("utf-8")
NAME = re.compile(r"`(test_\w+)`")
UNSHOWN = "*no test*"


def rows(page: str) -> Iterator[str]:
    """Yield the last cell of every row of every table except its head."""
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


def test_every_row_names_its_tests_or_is_marked_as_untested() -> None:
    for cell in rows(PAGE):
        assert cell == UNSHOWN or (NAME.findall(cell) and not NAME.sub("", cell).strip()), cell


def test_every_named_test_exists() -> None:
    assert set(NAME.findall(PAGE)) - known() == set()
    assert NAME.findall(PAGE)


def test_rows_include_cells_without_a_test_name() -> None:
    page = "| what | shown by |\n|---|---|\n| a | `test_b` |\n| c | seen |\n"
    assert list(rows(page)) == ["`test_b`", "seen"]
