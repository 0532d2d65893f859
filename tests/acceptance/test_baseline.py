"""`trainc check --baseline`: known findings are silent until one of their lines changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from tests.support.command import JOB, fail, succeed, trainc
from tests.support.files import write

OLD = JOB.replace("train:1", "train:latest") + "  elastic: {minReplicas: 9, maxReplicas: 3}\n"
SECRET = "hf_" + "abcdefghijklmnopqrstuvwxyz01234567"


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Path]:
    """Return a job with an error, a warning and a note, of which the baseline has the error and the note."""
    (tmp_path / "jobs").mkdir()
    file = write(tmp_path / "jobs" / "job.yaml", OLD)
    with chdir(tmp_path):
        done = trainc("check", "jobs", "--write-baseline", "baseline.json")
        assert (done.code, done.out) == (0, "")
        yield file


def codes(*arguments: str) -> set[str]:
    done = trainc("check", "jobs", "--baseline", "baseline.json", "--message-format", "json", *arguments)
    found = {each["code"] for each in json.loads(done.out)}
    assert done.code == ("TC3003" in found)
    return found


def test_known_findings_are_silent_also_errors(job: Path) -> None:
    assert {each["code"] for each in json.loads(trainc("check", "jobs", "--message-format", "json").out)} >= {
        "TC3003",
        "TC3088",
    }
    assert trainc("check", "jobs", "--baseline", "baseline.json") == (0, "", "")
    assert trainc("compile", "jobs").code == 1  # the job still can't work


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("spec:\n", "# moved\n\nspec:\n", set()),
        ("workers: 2", "workers: 3", set()),  # the findings are about other lines
        ("minReplicas: 9", "minReplicas: 8", {"TC3003"}),
        ("train:latest", "train2:latest", {"TC3088"}),
    ],
)
def test_a_finding_survives_moved_lines_but_no_changed_value(old: str, new: str, expected: set[str], job: Path) -> None:
    job.write_text(OLD.replace(old, new))
    assert codes() == expected


def test_the_same_finding_of_another_file_or_a_second_one_is_new(job: Path) -> None:
    job.with_name("second.yaml").write_text(OLD.replace("mnist", "second"))
    assert codes() == {"TC3003", "TC3088"}


def test_it_is_the_same_in_every_working_directory(job: Path) -> None:
    with chdir("jobs"):
        assert trainc("check", ".", "--baseline", "../baseline.json") == (0, "", "")
    before = Path("baseline.json").read_text()
    with chdir("jobs"):
        assert trainc("check", "job.yaml", "--write-baseline", "../baseline.json", "-q").code == 0
    assert Path("baseline.json").read_text() == before


def test_findings_that_are_gone_are_counted(job: Path) -> None:
    job.write_text(JOB)
    done = succeed("check", "jobs", "--baseline", "baseline.json")
    number = len(json.loads(Path("baseline.json").read_text())["findings"])
    assert done.err.startswith(f"{number} findings of baseline.json are gone: run `trainc check jobs --write-baseline")
    job.with_name("other.yaml").write_text(JOB.replace("mnist", "other"))
    assert trainc("check", "jobs/other.yaml", "--baseline", "baseline.json") == (0, "", "")  # they are of another file


def test_a_baseline_has_no_secret(job: Path) -> None:
    job.write_text(OLD + f"  env: {{TOKEN: {SECRET}}}\n")
    assert trainc("check", "jobs", "--write-baseline", "baseline.json").code == 0
    text = Path("baseline.json").read_text()
    assert "TC3087" in text
    assert SECRET not in text
    assert trainc("check", "jobs", "--baseline", "baseline.json") == (0, "", "")


def test_options_select_what_is_written(job: Path) -> None:
    assert trainc("check", "jobs", "--ignore", "TC3088", "--write-baseline", "baseline.json").code == 0
    assert codes() == {"TC3088"}


@pytest.mark.parametrize("option", ["--fix", "--diff", "--changed-since=HEAD"])
def test_a_baseline_is_written_of_all_findings(option: str, job: Path) -> None:
    err = fail("check", "jobs", "--write-baseline", "baseline.json", option, code=2)
    assert "conflicts with --write-baseline" in " ".join(err.split())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[]", "1:1"),
        ("{}", "1:1"),
        ('{"kind": "Baseline"}', "1:1"),
        ('{"kind": "Baseline", "findings": 3}', "1:34"),
        ('{"kind": "Baseline", "findings": [3]}', "1:34"),
        ('{"kind": "Baseline", "findings": [{"code": "TC3088", "file": "a", "lines": [], "count": 0}]}', "1:35"),
        ('{"kind": "Baseline", "findings": [{"code": "TC3088", "file": "a", "lines": [], "count": "x"}]}', "1:35"),
    ],
)
def test_an_invalid_baseline_is_an_error_at_its_place(text: str, place: str, job: Path) -> None:
    Path("baseline.json").write_text(text)
    err = fail("check", "jobs", "--baseline", "baseline.json", "--message-format", "concise")
    assert err.startswith(f"baseline.json:{place}: TC6006")


def test_a_missing_baseline_names_the_command_that_writes_it(job: Path) -> None:
    err = fail("check", "jobs", "--baseline", "none.json", code=2)
    assert "`trainc check --write-baseline none.json` writes it" in " ".join(err.split())
