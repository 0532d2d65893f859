"""What a team makes of warnings: errors with --strict, nothing with --ignore, --select or a comment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import JOB, trainc

# Two warnings on a StatefulSet: its pods start again after success, and nothing there ends by a deadline.
WARNED = JOB + "  lifecycle: {activeDeadlineSeconds: 6000}\n"
CODES = {"TC4001", "TC4002"}


@pytest.fixture
def job(tmp_path: Path) -> Path:
    path = tmp_path / "job.yaml"
    path.write_text(WARNED)
    return path


def codes(text: str) -> set[str]:
    return {code for code in CODES if code in text}


def test_warnings_alone_let_a_job_pass(job: Path) -> None:
    done = trainc("check", job, "-b", "statefulset")
    assert done.code == 0
    assert codes(done.err) == CODES


def test_strict_takes_a_warning_for_an_error_and_writes_nothing(job: Path) -> None:
    out = job.with_name("out.yaml")
    done = trainc("compile", job, "-b", "statefulset", "--strict", "-o", out)
    assert done.code == 1
    assert done.err.endswith("2 warnings (errors with --strict); nothing was written\n")
    assert not out.exists()
    assert trainc("compile", job, "-b", "statefulset", "--strict").out == ""


def test_strict_lets_a_job_pass_of_which_there_is_nothing_to_say(job: Path) -> None:
    assert trainc("check", job, "--strict").code == 0


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--ignore", "TC4001"], {"TC4002"}),
        (["--ignore", "TC4001", "--ignore", "restarts-after-completion"], set()),
        (["--ignore", "TC4"], set()),
        (["--select", "TC4001"], {"TC4001"}),
        (["--select", "tc4"], CODES),
        (["--select", "TC3"], set()),
        (["--select", "TC4", "--ignore", "TC4002"], {"TC4001"}),
    ],
)
def test_codes_are_chosen(job: Path, options: list[str], left: set[str]) -> None:
    done = trainc("check", job, "-b", "statefulset", "--strict", *options)
    assert codes(done.err) == left
    assert done.code == bool(left)


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_a_code_that_there_is_not_is_wrong_usage(job: Path, option: str) -> None:
    done = trainc("check", job, option, "E501")
    assert done.code == 2
    assert "unknown code 'E501'" in done.err


def test_an_error_can_not_be_ignored(job: Path) -> None:
    job.write_text(JOB.replace("workers: 2", "workers: two"))
    assert trainc("check", job, "--ignore", "TC2").code == 1


def test_a_comment_silences_its_line_alone(job: Path) -> None:
    job.write_text(WARNED.replace("6000}", "6000} # trainc: ignore unsupported-by-backend"))
    assert codes(trainc("check", job, "-b", "statefulset").err) == {"TC4002"}
