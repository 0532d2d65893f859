"""`--changed-since`: jobs that differ from a git revision."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import INVALID_JOB, job, succeed, trainc
from tests.support.git import create_repository, git

LOCAL = "  volumes:\n  - {name: code, mountPath: /code, files: [train.py]}\n"


@pytest.fixture
def repository(here: Path) -> None:
    """Make the current directory a repository with jobs a, b and local, and their manifests."""
    Path("jobs/code").mkdir(parents=True)
    for name in ("a", "b"):
        Path(f"jobs/{name}.yaml").write_text(job(name))
    Path("jobs/code/local.yaml").write_text(job("local", LOCAL))
    Path("jobs/code/train.py").write_text("print(1)\n")
    assert trainc("compile", "jobs", "-o", "manifests/", "-q").code == 0
    create_repository()


def compiled(*arguments: str) -> list[str]:
    """Return the names of the jobs that are compiled."""
    result = succeed("compile", "-q", "--changed-since", "HEAD", *arguments)
    names = [line for line in result.out.split("\n") if line.startswith("    trainc.dev/job: ")]
    return sorted({line.rpartition(" ")[2] for line in names})


@pytest.mark.usefixtures("repository")
def test_only_changed_jobs_are_compiled() -> None:
    assert compiled("jobs") == []
    Path("jobs/a.yaml").write_text(job("a") + "# comment\n")
    Path("jobs/new.yaml").write_text(job("new"))
    assert compiled("jobs") == ["a", "new"]
    git("mv", "jobs/b.yaml", "jobs/moved.yaml")
    assert compiled("jobs") == ["a", "b", "new"]
    assert compiled("jobs/a.yaml", "jobs/code/local.yaml") == ["a"]


@pytest.mark.usefixtures("repository")
def test_a_local_file_changes_its_job() -> None:
    Path("jobs/code/train.py").write_text("print(2)\n")
    assert compiled("jobs") == ["local"]
    git("checkout", "-q", ".")
    Path("jobs/code/other.txt").write_text("")  # may be in a folder of `files`
    assert compiled("jobs") == ["local"]


@pytest.mark.usefixtures("repository")
def test_check_reads_only_changed_files() -> None:
    Path("jobs/a.yaml").write_text(INVALID_JOB)
    assert trainc("check", "jobs", "--changed-since", "HEAD").code == 1
    git("commit", "-qam", "invalid")
    assert trainc("check", "jobs", "--changed-since", "HEAD") == (0, "", "")
    assert trainc("check", "jobs", "--changed-since", "HEAD~1").code == 1


@pytest.mark.usefixtures("repository")
def test_manifests_are_checked_as_without_the_option() -> None:
    check = ("compile", "jobs", "-o", "manifests/", "--check")
    assert trainc(*check, "--changed-since", "HEAD") == (0, "", "")
    for change in (
        lambda: Path("jobs/a.yaml").write_text(job("renamed")),
        lambda: Path("jobs/b.yaml").unlink(),
        lambda: Path("manifests/b.yaml").write_text("# edited\n"),
        lambda: Path("manifests/b.yaml").unlink(),
        lambda: Path("jobs/code/train.py").write_text("print(2)\n"),
    ):
        change()
        expected = trainc(*check)
        assert expected.code == 1
        assert trainc(*check, "--changed-since", "HEAD") == expected
        git("reset", "-q", "--hard")


@pytest.mark.usefixtures("repository")
def test_nothing_is_pruned_if_nothing_changed() -> None:
    before = sorted(Path("manifests").iterdir())
    assert trainc("compile", "jobs", "-o", "manifests/", "--prune", "--changed-since", "HEAD") == (0, "", "")
    assert sorted(Path("manifests").iterdir()) == before
