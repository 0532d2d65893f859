"""action.yml: its scripts run as GitHub runs the steps of a composite action, with the action's checkout as its path.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import INVALID_JOB, JOB, clean_environment
from tests.support.examples import ROOT
from tests.support.files import write, write_project
from tests.support.packages import copy_sources

ACTION: Any = yaml.safe_load((ROOT / "action.yml").read_text())
INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")

pytestmark = pytest.mark.slow


class Runner:
    """Machine with the action's checkout and a repository, on which the action runs any number of times."""

    def __init__(self, folder: Path) -> None:
        self.temporary, self.repository, self.home = folder / "temp", folder / "repository", folder / "home"
        for each in (self.temporary, self.repository, self.home):
            each.mkdir()
        self.action = copy_sources(folder / "action")

    def step(self, name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run a step with inputs."""
        values = {key: inputs.get(key.replace("-", "_"), each["default"]) for key, each in ACTION["inputs"].items()}

        def filled(text: str) -> str:
            return INPUT.sub(lambda match: values[match[1]], text)

        (step,) = [each for each in ACTION["runs"]["steps"] if each["name"] == name]
        assert step["shell"] == "bash"
        script = self.temporary / "step.sh"
        script.write_text(filled(step["run"]))
        variables = {key: filled(value) for key, value in step["env"].items()}
        runner = {"GITHUB_ACTIONS": "true", "RUNNER_TEMP": str(self.temporary), "GITHUB_ACTION_PATH": str(self.action)}
        return subprocess.run(
            [*BASH, str(script)],
            check=False,
            cwd=self.repository / filled(step.get("working-directory", ".")),
            env=clean_environment(HOME=str(self.home), **runner, **variables),
            capture_output=True,
            text=True,
            timeout=300,
        )


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    runner = Runner(tmp_path_factory.mktemp("runner"))
    installed = runner.step("Install trainc")
    assert installed.returncode == 0, installed.stderr
    return runner


@pytest.fixture
def repository(runner: Runner) -> Path:
    for path in runner.repository.rglob("*.yaml"):
        path.unlink()
    (runner.repository / "jobs").mkdir(exist_ok=True)
    return runner.repository


def test_the_page_uses_inputs_of_the_action(runner: Runner, repository: Path) -> None:
    page = (ROOT / "docs" / "ci.md").read_text().partition("## GitHub action")[2]
    block = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert block is not None
    (step,) = [each for each in yaml.safe_load(block[1])["steps"] if "trainc" in each["uses"]]
    assert step["with"].keys() <= ACTION["inputs"].keys()
    (repository / "jobs" / "mnist.yaml").write_text(INVALID_JOB)
    assert runner.step("trainc check", **step["with"]).returncode == 1


def test_an_error_is_an_annotation_and_fails_the_step(runner: Runner, repository: Path) -> None:
    (repository / "jobs" / "mnist.yaml").write_text(INVALID_JOB)
    done = runner.step("trainc check", arguments="jobs/")
    line = INVALID_JOB.splitlines().index("  workers: two") + 1
    assert done.returncode == 1
    assert f"::error file=jobs/mnist.yaml,line={line},endLine={line},col=12," in done.stderr


def test_a_correct_job_passes_without_output(runner: Runner, repository: Path) -> None:
    (repository / "jobs" / "mnist.yaml").write_text(JOB)
    done = runner.step("trainc check", arguments="jobs/\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_arguments_the_jobs_of_the_project_are_checked(runner: Runner, repository: Path) -> None:
    write(repository / "team" / "jobs" / "mnist.yaml", INVALID_JOB)
    write_project("jobs: [jobs/]\n", repository / "team")
    done = runner.step("trainc check", working_directory="team")
    assert (done.returncode, done.stderr.count("::error ")) == (1, 1), done.stderr


def test_arguments_are_no_part_of_the_script(runner: Runner, repository: Path) -> None:
    folder = repository / "$(touch planted) `touch planted`; touch planted"
    folder.mkdir(exist_ok=True)
    (folder / "a b.yaml").write_text(JOB)
    done = runner.step("trainc check", arguments=f"{folder.name}/a b.yaml\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert not [name for name in os.listdir(repository) if name == "planted"]
