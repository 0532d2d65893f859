"""Warnings as errors with --strict, rule selection with --select and --ignore, and suppression by a comment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import JOB, fail, succeed, trainc
from tests.support.files import write

# Two warnings on a StatefulSet: its pods restart after success, and it has no deadline.
JOB_WITH_WARNINGS = JOB + "  lifecycle: {activeDeadlineSeconds: 6000}\n"
WARNINGS = {"TC4001", "TC4002"}


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return write(tmp_path / "job.yaml", JOB_WITH_WARNINGS)


def codes(text: str) -> set[str]:
    return {code for code in WARNINGS if code in text}


def test_warnings_do_not_fail_check(job: Path) -> None:
    assert codes(succeed("check", job, "-b", "statefulset").err) == WARNINGS


def test_strict_fails_after_a_warning_and_writes_nothing(job: Path) -> None:
    out = job.with_name("out.yaml")
    err = fail("compile", job, "-b", "statefulset", "--strict", "-o", out)
    assert err.endswith("2 warnings (errors with --strict); nothing was written\n")
    assert not out.exists()
    assert trainc("compile", job, "-b", "statefulset", "--strict").out == ""


def test_strict_passes_a_job_without_diagnostics(job: Path) -> None:
    assert trainc("check", job, "--strict").code == 0


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (["--ignore", "TC4001"], {"TC4002"}),
        (["--ignore", "TC4001", "--ignore", "restarts-after-completion"], set()),
        (["--ignore", "TC4"], set()),
        (["--select", "TC4001"], {"TC4001"}),
        (["--select", "tc4"], WARNINGS),
        (["--select", "TC3"], set()),
        (["--select", "TC4", "--ignore", "TC4002"], {"TC4001"}),
    ],
)
def test_select_and_ignore_filter_by_code_name_and_prefix(job: Path, options: list[str], reported: set[str]) -> None:
    done = trainc("check", job, "-b", "statefulset", "--strict", *options)
    assert codes(done.err) == reported
    assert done.code == bool(reported)


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_unknown_code_is_a_usage_error(job: Path, option: str) -> None:
    assert "unknown code 'E501'" in fail("check", job, option, "E501", code=2)


def test_errors_cannot_be_ignored(job: Path) -> None:
    job.write_text(JOB.replace("workers: 2", "workers: two"))
    assert trainc("check", job, "--ignore", "TC2").code == 1


def test_an_ignore_comment_suppresses_diagnostics_of_its_line_only(job: Path) -> None:
    job.write_text(JOB_WITH_WARNINGS.replace("6000}", "6000} # trainc: ignore unsupported-by-backend"))
    assert codes(trainc("check", job, "-b", "statefulset").err) == {"TC4002"}
