"""The policy of a project file on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.command import JOB, fail, silent, trainc
from tests.support.files import write, write_project
from trainc.cli.compilation import MANY

POLICY = "jobs: [jobs/]\npolicy: {requiredLabels: [team], maxHours: 24}\n"
CODES = ["TC6050", "TC6055"]
PAGE = Path(__file__).resolve().parents[2] / "docs/policy.md"
POD = """\
apiVersion: batch/v1
kind: Job
metadata: {name: a, labels: {team: vision}}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: a, image: "train:1", command: [python, train.py]}]}
"""


@pytest.fixture(autouse=True)
def repository(here: Path) -> Path:
    write_project(POLICY)
    write(here / "jobs/mnist.yaml", JOB)
    return here


def codes(*arguments: str, stdin: str = "") -> list[str]:
    result = trainc(*arguments, "--message-format", "json", stdin=stdin)
    return [each["code"] for each in json.loads(result.out if arguments[0] == "check" else result.err)]


def test_check_and_compile_judge_jobs() -> None:
    assert codes("check") == codes("check", "jobs/mnist.yaml") == codes("compile", "jobs/") == CODES
    assert "nothing was written" in fail("compile", "jobs/", "-o", "manifests/")
    assert not Path("manifests").exists()


def test_standard_input_is_judged_by_the_project_of_the_working_directory() -> None:
    assert codes("check", "-", stdin=JOB) == CODES
    assert sorted(codes("check", "-", stdin=POD)) == CODES


@pytest.mark.parametrize("option", ["--ignore", "--select"])
def test_no_option_suppresses_a_violation(option: str) -> None:
    assert codes("check", option, "TC3019") == CODES
    assert codes("check", "--ignore", "TC6050", "--ignore", "TC6055") == CODES


def test_without_a_project_file_nothing_is_judged() -> None:
    assert codes("check", "--no-config", "jobs/") == []


@pytest.mark.parametrize("command", [("plan",), ("diff", "jobs/mnist.yaml")])
def test_commands_that_show_jobs_do_not_judge_them(command: tuple[str, ...]) -> None:
    silent(*command, "jobs/mnist.yaml")


def test_an_option_of_a_job_obeys_the_policy() -> None:
    sets = ("--set", "metadata.labels.team=vision", "--set", "spec.lifecycle.activeDeadlineSeconds=3600")
    assert codes("check", *sets) == []
    assert codes("check", *sets, "--backend", "statefulset")[-1] == "TC6055"


def test_many_files_are_judged_like_one(repository: Path) -> None:
    for number in range(MANY):
        (repository / f"jobs/job-{number}.yaml").write_text(JOB.replace("mnist", f"job-{number}"))
    assert codes("check", "--jobs", "2") == CODES * (MANY + 1)


def test_a_project_further_down_replaces_the_policy_unless_config_names_one(repository: Path) -> None:
    write_project("", repository / "jobs")
    assert codes("check", "jobs/mnist.yaml") == []
    assert codes("check", "jobs/mnist.yaml", "--config", "trainc.yaml") == CODES


def test_the_page_works_as_it_stands(tmp_path: Path) -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    for _, text in blocks:
        if name := re.match(r"# ([\w/]+\.yaml)\n", text):
            (tmp_path / name[1]).write_text(text)
    (shown,) = (text for language, text in blocks if language == "console")
    result = trainc("check")
    assert (result.code, result.err.strip()) == (1, shown.removeprefix("$ trainc check\n").strip())
