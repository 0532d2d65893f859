"""Every report in every format equals its reviewed snapshot, byte for byte: snapshots/<report>.<extension>."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.reports import REPORTS

SNAPSHOTS = Path(__file__).parent / "snapshots"
EXTENSIONS = {
    "full": "txt",
    "concise": "concise.txt",
    "json": "json",
    "sarif": "sarif",
    "github": "github.txt",
    "junit": "xml",
}


def report_text(report: str, format_name: str) -> str:
    """Return a report without the version of trainc, which changes."""
    return REPORTS[report].text(format_name).replace(f'"version": "{version("trainc")}"', '"version": "VERSION"')


@pytest.mark.parametrize("format_name", EXTENSIONS)
@pytest.mark.parametrize("report", REPORTS)
def test_reports_equal_their_snapshots(report: str, format_name: str, update_golden: bool) -> None:
    file = SNAPSHOTS / f"{report}.{EXTENSIONS[format_name]}"
    actual = report_text(report, format_name)
    if update_golden:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(actual.encode())
    assert actual == file.read_bytes().decode()


def test_snapshots_of_removed_reports_are_deleted() -> None:
    expected = {f"{report}.{extension}" for report in REPORTS for extension in EXTENSIONS.values()}
    assert {file.name for file in SNAPSHOTS.iterdir()} == expected
