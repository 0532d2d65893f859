"""Jobs of silent/ are near misses of the code that each names, without diagnostics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.corpus import FOLDER, diagnose, read_expectation
from trainc.diagnostics.text import render
from trainc.pages import all_codes

SILENT = sorted((FOLDER / "silent").glob("*.yaml"))


@pytest.mark.parametrize("file", SILENT, ids=lambda file: file.stem)
def test_a_near_miss_has_no_diagnostics(file: Path) -> None:
    diagnostics = diagnose(file, read_expectation(file).target)
    assert not diagnostics, render(diagnostics)


@pytest.mark.parametrize("file", SILENT, ids=lambda file: file.stem)
def test_a_near_miss_names_an_existing_code(file: Path) -> None:
    near = re.search(r"^# near: (TC\d{4})$", file.read_text("utf-8"), flags=re.MULTILINE)
    assert near
    assert near[1] in {code.id for code in all_codes()}
