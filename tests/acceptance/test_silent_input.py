"""Jobs of silent/ are nearly wrong, each by the code that it names, and trainc says nothing of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.corpus import FOLDER, diagnose, expectation
from trainc.catalogue.page import all_codes
from trainc.diagnostics.text import render

SILENT = sorted((FOLDER / "silent").glob("*.yaml"))


@pytest.mark.parametrize("file", SILENT, ids=lambda file: file.stem)
def test_nothing_is_said_of_a_job_that_is_nearly_wrong(file: Path) -> None:
    found = diagnose(file, expectation(file).target)
    assert not found, render(found)


@pytest.mark.parametrize("file", SILENT, ids=lambda file: file.stem)
def test_a_silent_job_names_the_code_that_it_nearly_gets(file: Path) -> None:
    near = re.search(r"^# near: (TC\d{4})$", file.read_text("utf-8"), flags=re.MULTILINE)
    assert near
    assert near[1] in {code.id for code in all_codes()}
