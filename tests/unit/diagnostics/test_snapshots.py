"""Every form of every report is, byte for byte, the file that a person has read: snapshots/<report>.<form>."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.reports import REPORTS

SNAPSHOTS = Path(__file__).parent / "snapshots"
FORMS = {
    "full": "txt",
    "concise": "concise.txt",
    "json": "json",
    "sarif": "sarif",
    "github": "github.txt",
    "junit": "xml",
}


def text(report: str, form: str) -> str:
    """The report; the version of trainc changes and is left out."""
    return REPORTS[report].text(form).replace(f'"version": "{version("trainc")}"', '"version": "VERSION"')


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("report", REPORTS)
def test_a_report_is_written_as_it_was_read(report: str, form: str, update_golden: bool) -> None:
    file = SNAPSHOTS / f"{report}.{FORMS[form]}"
    written = text(report, form)
    if update_golden:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(written.encode())
    assert written == file.read_bytes().decode()


def test_no_snapshot_is_of_a_report_that_is_gone() -> None:
    known = {f"{report}.{ending}" for report in REPORTS for ending in FORMS.values()}
    assert {file.name for file in SNAPSHOTS.iterdir()} == known
