"""docs/recipes/kubectl.md as it stands, and completion, with the real kubectl."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import recipes
from tests.support.command import trainc


@pytest.fixture(scope="module")
def program() -> Path:
    return recipes.kubectl()


def test_kubectl_runs_trainc(tmp_path: Path, program: Path) -> None:
    recipes.run_page("kubectl", tmp_path, program)
    assert (tmp_path / "manifests.yaml").read_text() == trainc("compile", tmp_path / "mnist.yaml").out
    assert recipes.run("kubectl trainc compile missing.yaml", tmp_path, program).returncode == 1


@pytest.mark.sample(2)
# Values and Cobra's directive: 0 completes file names, 2 adds no space, 4 completes no file names.
# https://github.com/spf13/cobra/blob/v1.10.1/completions.go
@pytest.mark.parametrize(
    ("words", "values", "directive"),
    [
        (["com"], ["compile"], 4),
        (["compile", "--ba"], ["--backend"], 4),
        (["compile", "--backend", "st"], ["statefulset"], 4),
        (["compile", "--set", "spec.worke"], ["spec.workers="], 6),
        (["compile", ""], [], 0),
        (["compile", "jobs/it's $(touch no)"], [], 0),
    ],
)
def test_kubectl_completes(words: list[str], values: list[str], directive: int, tmp_path: Path, program: Path) -> None:
    done = recipes.run([str(program), "__complete", "trainc", *words], tmp_path, program)
    *lines, last = done.stdout.splitlines()
    assert ([line.partition("\t")[0] for line in lines], last) == (values, f":{directive}")
    assert not list(tmp_path.iterdir())
