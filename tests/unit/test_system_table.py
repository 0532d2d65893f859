"""A system has a ✓ in docs/back-ends.md only for a part that it has and that a test shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import system_table
from tools.system_table import COLUMNS, REASONS, is_proven, rows, table
from trainc.systems.registry import find

PARTS = {"read": "reader", "write": "objects", "plan": "model", "rehearse": "rehearsal"}


@pytest.mark.parametrize(("column", "part"), PARTS.items())
def test_a_cell_needs_the_part(column: str, part: str) -> None:
    system = find("jobset")
    assert is_proven(system, column)
    assert not is_proven(system.replace(parts=tuple(each for each in system.parts if each != part)), column)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_cell_needs_a_test(column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_table, "ROOT", tmp_path)
    monkeypatch.setattr(system_table, "TESTS", tmp_path)
    for cached in (system_table.documents, system_table.rehearsed):
        monkeypatch.setattr(system_table, cached.__name__, cached.__wrapped__)
    assert not is_proven(find("jobset"), column)


def test_a_controller_runs_in_the_tests() -> None:
    assert [is_proven(find(name), "controller") for name in ("job", "mpijob", "elasticjob")] == [True, True, False]


def test_every_reason_is_that_of_an_empty_cell() -> None:
    empty = {(row.name, column) for row in rows() for column in COLUMNS if column not in row.proven}
    assert set(REASONS) <= empty


def test_every_system_has_a_row_and_every_note_is_used() -> None:
    text = table()
    lines, notes = text.split("\n\n")
    assert all(f"`{row.name}`" in lines for row in rows())
    assert all(note.split()[0] in lines for note in notes.splitlines())
