"""`trainc diff --summary`: the changes of many jobs by cause."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import JOB, fail, trainc
from tests.support.git import create_repository


@pytest.fixture(autouse=True)
def repository(here: Path) -> None:
    """Make the current directory a repository with five jobs and their manifests."""
    (here / "jobs").mkdir()
    for number in range(5):
        (here / f"jobs/job-{number}.yaml").write_text(JOB.replace("mnist", f"job-{number}"))
    assert trainc("compile", "jobs/", "-o", "manifests/").code == 0
    create_repository()


def edit(old: str, new: str, *files: str) -> None:
    for name in files:
        text = Path(name).read_text()
        assert old in text
        Path(name).write_text(text.replace(old, new))


def jobs(*numbers: int) -> list[str]:
    return [f"jobs/job-{number}.yaml" for number in numbers]


def test_no_change() -> None:
    assert trainc("diff", "--git", "HEAD", "--summary", "jobs/") == (0, "no change in 5 jobs\n", "")
    assert trainc("diff", "--summary", "manifests/", "jobs/") == (0, "no change in 5 jobs\n", "")


def test_a_field_is_the_cause_in_all_jobs_that_change_it() -> None:
    edit("train:1", "train:2", *jobs(0, 1, 2, 3))
    result = trainc("diff", "--git", "HEAD", "--summary", "jobs/")
    assert result == (
        1,
        """\
4 of 5 jobs change, for 1 cause
4 jobs must be deleted and created again

4 jobs     field image
           in job-0, job-1, job-2 and 1 more
           must be created again
           Job spec.template.spec.containers[main].image
           - "train:1"
           + "train:2"
""",
        "",
    )


def test_a_default_of_a_new_trainc_is_the_cause_in_committed_manifests() -> None:
    """The committed manifests have what another version would have emitted."""
    names = [f"manifests/job-{number}.yaml" for number in range(5)]
    edit("restartPolicy: Never", "restartPolicy: OnFailure", *names)
    result = trainc("diff", "--summary", "manifests/", "jobs/")
    assert result.out.startswith("5 of 5 jobs change, for 1 cause\n")
    assert "5 jobs     default of lifecycle.restartPolicy\n" in result.out
    assert '           - "OnFailure"\n           + "Never"\n' in result.out


def test_a_rule_of_the_back_end_is_named_with_its_template() -> None:
    names = [f"manifests/job-{number}.yaml" for number in range(5)]
    edit("clusterIP: None", 'clusterIP: ""', *names)
    result = trainc("diff", "--summary", "manifests/", "jobs/")
    assert "5 jobs     rule of job in " in result.out
    assert "Service spec.clusterIP" in result.out


def test_names_of_jobs_do_not_separate_changes() -> None:
    names = [f"manifests/job-{number}.yaml" for number in range(5)]
    for number, name in enumerate(names):
        edit(f"value: job-{number}-0:29400", f"value: job-{number}-0:1", name)
    result = trainc("diff", "--summary", "manifests/", "jobs/")
    assert result.out.startswith("5 of 5 jobs change, for 1 cause\n")
    assert '- "‹name›-0:1"' in result.out


def test_whole_objects() -> None:
    Path("jobs/job-0.yaml").unlink()
    Path("jobs/new.yaml").write_text(JOB)
    result = trainc("diff", "--git", "HEAD", "--summary", "jobs/")
    assert "no job compiles to it" in result.out
    assert "left over Job/‹name›" in result.out
    assert "created Job/‹name›" in result.out


def test_manifests_alone_have_no_cause() -> None:
    edit("restartPolicy: Never", "restartPolicy: OnFailure", "manifests/job-1.yaml")
    result = trainc("diff", "--git", "HEAD", "--summary", "manifests/", "-f", "markdown")
    assert result.code == 1
    assert "changed in the manifests" in result.out


def test_secrets_are_hidden() -> None:
    edit("  workers: 2", "  env: {DB_PASSWORD: hunter2hunter2}\n  workers: 2", *jobs(0))
    assert "hunter2" not in trainc("diff", "--git", "HEAD", "--summary", "jobs/").out


def test_other_formats_are_usage_errors() -> None:
    err = fail("diff", "--summary", "manifests/", "jobs/", "-f", "sarif", code=2)
    assert "has the formats text, json and markdown, not sarif" in err


def test_json_has_all_jobs_of_a_cause() -> None:
    edit("train:1", "train:2", *jobs(0, 1, 2, 3))
    done = trainc("diff", "--git", "HEAD", "--summary", "jobs/", "-f", "json")
    names = ["job-0", "job-1", "job-2", "job-3"]
    field = "Job spec.template.spec.containers[main].image"
    group = {"cause": "field image", "fields": [field], "old": '"train:1"', "new": '"train:2"'}
    groups = [{**group, "jobs": names, "recreated": names}]
    assert done.code == 1
    assert json.loads(done.out) == {"jobs": 5, "changed": 4, "recreated": 4, "groups": groups}


def test_json_of_whole_objects_has_no_values() -> None:
    Path("jobs/job-0.yaml").unlink()
    document = json.loads(trainc("diff", "--git", "HEAD", "--summary", "jobs/", "-f", "json").out)
    assert (document["jobs"], document["changed"], document["recreated"]) == (5, 1, 0)
    assert [(each["cause"], each["old"], each["new"]) for each in document["groups"]] == [
        ("no job compiles to it", None, None)
    ]
    assert sorted(document["groups"][0]["fields"])[0].startswith("left over Job/")


def test_json_without_a_change_has_no_groups() -> None:
    done = trainc("diff", "--git", "HEAD", "--summary", "jobs/", "-f", "json")
    assert (done.code, json.loads(done.out)["groups"]) == (0, [])
