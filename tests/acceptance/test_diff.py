"""`trainc diff` from the command line."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import JOB, fail, trainc
from tests.support.files import write, write_project
from tests.support.git import commit, create_repository, git
from tests.support.trees import field_paths, with_value
from trainc.systems.registry import NAMES

SECRET = "sk-12345678901234567890abcd"
OLD = JOB.rstrip() + f"\n  env: {{API_KEY: {SECRET}, PIN_PASSWORD: abc}}\n"
NEW = OLD.replace("train.py", "other.py").replace("abcd}", "abce}").replace("PASSWORD: abc", "PASSWORD: xyz")
FORMATS = ("text", "json", "markdown", "github", "sarif")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(OLD)
    new.write_text(NEW)
    return old, new


def test_exit_codes(files: tuple[Path, Path], tmp_path: Path) -> None:
    old, new = files
    assert trainc("diff", old, new).code == 1
    assert trainc("diff", old, old)[:2] == (0, "no change\n")
    broken = write(tmp_path / "broken.yaml", OLD.replace("workers: 2", "workers: two"))
    assert "1 error; nothing was compared" in fail("diff", old, broken, code=2)
    assert trainc("diff", old).code == trainc("diff", old, "-").code == trainc("diff", old, "missing.yaml").code == 2


@pytest.mark.parametrize("form", FORMATS)
def test_no_format_shows_secrets(files: tuple[Path, Path], form: str) -> None:
    done = trainc("diff", *files, "-f", form)
    assert done.code == 1
    assert "Job/mnist" in done.out
    assert not [secret for secret in (SECRET, SECRET[:-1], "abc", "xyz") if secret in done.out + done.err]


def test_text_fits_80_columns_but_for_commands(files: tuple[Path, Path]) -> None:
    printed = {backend: trainc("diff", *files, "-b", backend).out.splitlines() for backend in NAMES}
    assert {backend for backend, lines in printed.items() if not lines} == {
        "mpijob",
        "deepspeedjob",
        "rayjob",
    }  # no torchrun
    for lines in printed.values():
        assert [line for line in lines if len(line) > 80 and "$ kubectl" not in line] == []


def test_json_and_sarif_are_documents(files: tuple[Path, Path]) -> None:
    (job,) = json.loads(trainc("diff", *files, "-f", "json").out)
    assert (job["training"], job["start"], job["changes"]) == ("needs re-creation", "scratch", True)
    assert job["commands"][0]["command"].startswith("kubectl delete --cascade=foreground job/mnist && trainc compile ")
    assert json.loads(trainc("diff", files[0], files[0], "-f", "sarif").out)["runs"][0]["results"] == []


def test_the_help_of_a_sarif_rule_has_no_relative_links(files: tuple[Path, Path]) -> None:
    driver = json.loads(trainc("diff", *files, "-f", "sarif").out)["runs"][0]["tool"]["driver"]
    text = next(rule["help"]["markdown"] for rule in driver["rules"] if rule["id"] == "TC5040")
    assert "\ndocs/diff.md has all rules.\n" in text


def test_manifests_are_compared_as_they_are(files: tuple[Path, Path], tmp_path: Path) -> None:
    rendered = [tmp_path / f"{name}-rendered.yaml" for name in ("old", "new")]
    for file, path in zip(files, rendered, strict=True):
        assert trainc("compile", file, "-o", path).code == 0
    outcomes = []
    for pair in (files, rendered):
        (job,) = json.loads(trainc("diff", *pair, "-f", "json").out)
        outcomes.append([(each["object"], each["outcome"], each["fields"]) for each in job["objects"]])
    assert outcomes[0] == outcomes[1]
    assert trainc("diff", "-", files[1], stdin=rendered[0].read_text()).out == trainc("diff", *files).out


@pytest.mark.parametrize(("form", "outcome"), [("text", "left over  Job/gone"), ("markdown", "🔴 left over")])
def test_a_job_that_the_new_version_lacks_goes_on(files: tuple[Path, Path], form: str, outcome: str) -> None:
    old, new = files
    old.write_text(f"{OLD}---\n{JOB.replace('mnist', 'gone')}")
    done = " ".join(trainc("diff", old, new, "-f", form).out.split())
    assert "gone: is left running" in done
    assert " ".join(outcome.split()) in done
    assert "deletes no object" in done
    assert "deleted Job" not in done


def test_manifests_next_to_their_jobs_are_not_compared(tmp_path: Path) -> None:
    """A directory may have jobs and what they were compiled to; manifests of other jobs are objects like any others."""
    for name, text in (("old", OLD), ("new", NEW)):
        folder = tmp_path / name
        (folder / "jobs").mkdir(parents=True)
        for job in ("mnist", "gone"):
            (folder / "jobs" / f"{job}.yaml").write_text(text.replace("name: mnist", f"name: {job}"))
        assert trainc("compile", folder / "jobs", "-o", f"{folder}/manifests/", "-n", "lab").code == 0
        (folder / "jobs" / "gone.yaml").unlink()
    jobs = json.loads(trainc("diff", tmp_path / "old", tmp_path / "new", "-f", "json").out)
    assert {job["name"]: (job["namespace"], len(job["objects"])) for job in jobs} == {
        "mnist": (None, 3),
        "gone": ("lab", 3),
    }


def test_git_compares_a_revision_with_the_working_tree(here: Path) -> None:
    jobs = here / "jobs"
    jobs.mkdir()
    write(jobs / "conf" / "a.json", "{}")
    volume = "  volumes: [{name: conf, mountPath: /conf, files: [conf/a.json]}]\n"
    (jobs / "mnist.yaml").write_text(OLD + volume)
    (jobs / "gone.yaml").write_text(JOB.replace("mnist", "gone"))
    (jobs / "same.yaml").write_text(JOB.replace("mnist", "same"))
    create_repository()
    assert trainc("diff", "--git", "HEAD", jobs)[:2] == (0, "no change\n")
    (jobs / "conf" / "a.json").write_text("[]")
    (jobs / "gone.yaml").unlink()
    (jobs / "new.yaml").write_text(JOB.replace("mnist", "new"))
    done = trainc("diff", "--git", "HEAD", "jobs", "-f", "json")
    states = {job["name"]: (job["changes"], job["training"]) for job in json.loads(done.out)}
    assert states == {
        "mnist": (True, "needs re-creation"),  # the ConfigMap has another name
        "new": (True, "starts"),
        "same": (False, "continues"),
        "gone": (True, "left running"),
    }
    (job,) = json.loads(trainc("diff", "--git", "HEAD", "jobs/new.yaml", "-f", "json").out)
    assert {each["outcome"] for each in job["objects"]} == {"created"}


def test_git_compares_the_jobs_of_the_project_by_default(here: Path) -> None:
    write(here / "jobs" / "mnist.yaml", JOB)
    (here / "other.yaml").write_text(JOB)
    write_project("jobs: [jobs/]\n")
    create_repository()
    for name in ("jobs/mnist.yaml", "other.yaml"):
        (here / name).write_text(JOB.replace("workers: 2", "workers: 3"))
    done = trainc("diff", "--git", "HEAD", "--summary")
    assert (done.code, done.out.splitlines()[0]) == (1, "1 of 1 job change, for 2 causes")
    assert trainc("diff").code == trainc("diff", "--no-config", "--git", "HEAD").code == 2


@pytest.mark.parametrize("revision", ["missing", "--output=/tmp/x", "HEAD"])
def test_git_errors_are_usage_errors(here: Path, monkeypatch: pytest.MonkeyPatch, revision: str) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(here.parent))
    (here / "job.yaml").write_text(JOB)
    err = fail("diff", f"--git={revision}", here / "job.yaml", code=2)
    assert "--git" in err
    assert "Traceback" not in err


def test_git_reads_files_as_they_were_committed(here: Path) -> None:
    """Through links inside the repository, and without its attributes and filters, which may start programs."""
    (here / "jobs").mkdir()
    (here / "mnist.yaml").write_text(JOB)
    (here / "jobs" / "mnist.yaml").symlink_to("../mnist.yaml")
    (here / "jobs" / "outside.yaml").symlink_to("/etc/passwd")
    (here / ".gitattributes").write_text("* export-ignore filter=f\n")
    git("init", "-q")
    git("config", "filter.f.smudge", f"touch {here}/started; cat")
    commit()
    (here / "jobs" / "outside.yaml").unlink()
    for path in ("jobs", "jobs/mnist.yaml"):
        assert trainc("diff", "--git", "HEAD", path)[:2] == (0, "no change\n")
    (here / "mnist.yaml").write_text(JOB.replace("train.py", "other.py"))
    assert trainc("diff", "--git", "HEAD", "jobs").code == 1
    assert not (here / "started").exists()


def test_errors_of_a_revision_name_it(here: Path) -> None:
    (here / "job.yaml").write_text(JOB.replace("workers: 2", "workers: two"))
    create_repository()
    (here / "job.yaml").write_text(JOB)
    assert "--> HEAD:job.yaml:" in fail("diff", "--git", "HEAD", "job.yaml", code=2)


HOSTILE: tuple[Any, ...] = (None, [], {}, "", "a`|<!--\n---\nb\x1b[31m", -1, 2**70, [[]], {"": None}, True)


def test_hostile_manifests_crash_nothing(files: tuple[Path, Path], tmp_path: Path) -> None:
    documents = json.loads(trainc("compile", files[0], "-f", "json").out)
    choose = random.Random(7)
    paths = list(field_paths(documents))
    for number in range(120):
        broken = with_value(documents, choose.choice(paths), choose.choice(HOSTILE))
        pair = [documents, broken] if number % 2 else [broken, documents]
        for name, document in zip(("old.json", "new.json"), pair, strict=True):
            (tmp_path / name).write_text(json.dumps(document))
        done = trainc("diff", tmp_path / "old.json", tmp_path / "new.json", "-f", FORMATS[number % 5])
        assert done.code in (0, 1, 2)
        assert "TC9001" not in done.err, done.err
        assert "\x1b" not in done.out
