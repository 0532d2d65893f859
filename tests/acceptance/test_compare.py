"""`compile --check`, which compares committed manifests with the job."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import JOB, fail, trainc
from tests.support.files import write


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return write(tmp_path / "job.yaml", JOB)


@pytest.fixture
def manifest(job: Path) -> Path:
    path = job.with_name("mnist.yaml")
    assert trainc("compile", job, "-o", path).code == 0
    return path


def test_check_of_current_manifests_prints_nothing(job: Path, manifest: Path) -> None:
    assert trainc("compile", "--check", job, "-o", manifest) == (0, "", "")


def test_check_prints_the_difference_after_a_change_of_the_job(job: Path, manifest: Path) -> None:
    before = manifest.read_bytes()
    job.write_text(JOB.replace("workers: 2", "workers: 3"))
    done = trainc("compile", "--check", job, "-o", manifest)
    assert done.code == 1
    assert {"-  completions: 2", "+  completions: 3"} < set(done.out.split("\n"))
    assert f"{manifest} is out of date" in done.err
    assert manifest.read_bytes() == before


def test_check_fails_for_a_manifest_that_was_edited(job: Path, manifest: Path) -> None:
    manifest.write_bytes(manifest.read_bytes().replace(b"\n", b"\r\n") + b"\xff")
    assert trainc("compile", "--check", job, "-o", manifest).code == 1


def test_check_reports_a_missing_manifest_and_does_not_create_it(job: Path, tmp_path: Path) -> None:
    err = fail("compile", "--check", job, "-o", f"{tmp_path}/manifests/")
    assert f"{tmp_path}/manifests/mnist.yaml is missing" in err
    assert not (tmp_path / "manifests").exists()


def test_check_without_an_output_is_a_usage_error(job: Path) -> None:
    assert trainc("compile", "--check", job).code == 2


def test_check_of_an_unreadable_manifest_exits_with_2(job: Path, tmp_path: Path) -> None:
    (tmp_path / "m" / "mnist.yaml").mkdir(parents=True)
    assert trainc("compile", "--check", job, "-o", f"{tmp_path}/m/").code == 2
