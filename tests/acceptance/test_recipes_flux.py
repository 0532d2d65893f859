"""docs/recipes/flux.md as it stands: the steps of its workflow in a repository, and what Flux builds of the result."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.support import recipes
from tests.support.command import trainc

FILES = recipes.blocks("flux")
WORKFLOW = yaml.safe_load(FILES[".github/workflows/render.yaml"])
STEPS = [step["run"] for step in WORKFLOW["jobs"]["render"]["steps"] if "run" in step]
PAGE_JOB = FILES["jobs/mnist.yaml"]


def git(command: str, folder: Path) -> str:
    done = recipes.run(f"git -c user.name=test -c user.email=test@localhost {command}", folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a clone, as of actions/checkout, of a repository with two jobs."""
    git("init -q --bare -b main origin.git", tmp_path)
    git("clone -q origin.git clone", tmp_path)
    folder = tmp_path / "clone"
    recipes.write("flux", folder)
    (folder / "jobs" / "cifar.yaml").write_text(PAGE_JOB.replace("mnist", "cifar"))
    push(folder)
    return folder


def push(folder: Path) -> None:
    git("checkout -q -B main", folder)
    git("add -A", folder)
    git("commit -q -m jobs", folder)
    git("push -q origin main", folder)


def render(folder: Path) -> dict[str, str]:
    """Run the workflow; return the manifests in the repository that it pushed to, and the number of commits."""
    git("branch -q --set-upstream-to origin/main", folder)
    for step in STEPS:
        done = recipes.run(["bash", "-e", "-c", step], folder, TRAINC="trainc")  # which is installed
        assert done.returncode == 0, f"{step}: {done.stdout}{done.stderr}"
    names = git("ls-tree -r --name-only origin/main manifests", folder).split()
    return {name: git(f"show origin/main:{name}", folder) for name in names}


@pytest.mark.slow
def test_the_workflow_commits_the_manifests(repository: Path) -> None:
    expected = {
        f"manifests/{name}.yaml": trainc("compile", repository / "jobs" / f"{name}.yaml").out
        for name in ("cifar", "mnist")
    }
    assert render(repository) == expected
    head = git("rev-parse origin/main", repository)
    render(repository)
    assert git("rev-parse origin/main", repository) == head
    (repository / "jobs" / "cifar.yaml").unlink()
    push(repository)
    assert [*render(repository)] == ["manifests/mnist.yaml"]


@pytest.mark.slow
def test_flux_builds_the_directory(repository: Path) -> None:
    """Flux creates the kustomization of a directory that has none:

    https://fluxcd.io/flux/components/kustomize/kustomizations/#generating-a-kustomizationyaml-file
    """
    kustomize = recipes.require("kustomize")
    manifests = render(repository)
    flux = next(each for each in yaml.safe_load_all(FILES["clusters/research/training.yaml"]) if "path" in each["spec"])
    folder = repository / flux["spec"]["path"]
    done = recipes.run("kustomize create --autodetect --recursive && kustomize build", folder, kustomize)
    assert done.returncode == 0, done.stderr
    assert recipes.objects(done.stdout) == recipes.objects("---\n".join(manifests.values()))


def test_the_job_is_checked_for_flux() -> None:
    assert trainc("check", "-", stdin=PAGE_JOB) == (0, "", "")
    done = trainc("check", "-", stdin=f"{PAGE_JOB}  lifecycle: {{ttlSecondsAfterFinished: 60}}\n")
    assert "warning[TC4018]: Flux recreates the deleted Job" in done.err
