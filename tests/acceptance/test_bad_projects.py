"""Every project file of bad_projects/ has exactly the expected errors at the expected positions, and no job passes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.test_messages import entry
from tests.support.command import JOB, trainc
from tests.support.corpus import FOLDER, format_findings, read_expectation
from tests.support.files import assert_snapshot, write
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.project.load import load_project

FILES = sorted((FOLDER / "bad_projects").glob("*.yaml"))


def errors(file: Path) -> list[Diagnostic]:
    with pytest.raises(Rejected) as rejected:
        load_project(str(file))
    return in_order(rejected.value.diagnostics)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_bad_project_file_has_exactly_the_expected_errors(file: Path) -> None:
    expected = read_expectation(file).findings
    assert expected
    assert format_findings(errors(file)) == expected


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("command", ["check", "compile", "plan"])
def test_no_command_uses_a_bad_project_file(command: str, file: Path, tmp_path: Path) -> None:
    job = write(tmp_path / "job.yaml", JOB)
    done = trainc(command, job, "--config", file, "--message-format", "json")
    document, other = (done.out, done.err) if command == "check" else (done.err, done.out)
    codes = [each["code"] for each in json.loads(document)]
    assert (done.code, other, codes) == (1, "", [each.split()[0] for each in read_expectation(file).findings])


def snapshot() -> Iterator[str]:
    for file in FILES:
        for diagnostic in errors(file):
            yield entry(f"{file.name} {diagnostic.code.id}", diagnostic).replace(str(file.parent), "DIR")


def test_messages_equal_the_snapshot(update_golden: bool) -> None:
    text = "\n".join(snapshot())
    assert_snapshot(FOLDER / "project_messages.txt", text, update=update_golden, test=__file__)
