"""The policy of docs/recipes/admission.md, applied by Kyverno's real command line to the manifests of back ends.

Building it takes eleven minutes of CPU time: that is done with TRAINC_KYVERNO=1 only.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import build, go_programs, recipes
from tests.support.command import succeed

pytestmark = pytest.mark.slow
NAME = "kubectl-kyverno"


@pytest.fixture(scope="module")
def kyverno() -> Path:
    if os.environ.get("TRAINC_KYVERNO") != "1" and not go_programs.is_built(NAME):
        pytest.skip("Kyverno's command line is not built: TRAINC_KYVERNO=1 builds it, in eleven minutes of CPU time")
    try:
        return go_programs.program(NAME)
    except (OSError, subprocess.SubprocessError):  # also of an older Go, which refuses its go.mod at once
        pytest.skip("Kyverno's command line can't be built: it needs Go 1.26.8 and the Go module proxy")


def apply(kyverno: Path, folder: Path, backend: str, **job: Any) -> tuple[int, str]:
    """Return exit code and output of the recipe's command for the manifests of a job."""
    recipes.write("admission", folder)
    (folder / "jobs").mkdir()
    text = build.job_text({"name": "mnist", **job.pop("metadata", {})}, launch={"torchrun": {}}, workers=2, **job)
    (folder / "jobs" / "mnist.yaml").write_text(text)
    succeed("compile", str(folder / "jobs"), "-b", backend, "-o", f"{folder / 'manifests'}/")
    command = [str(kyverno), "apply", "kyverno-policy.yaml", "--resource", "manifests/"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


HOST_PATH = {"name": "data", "mountPath": "/data", "hostPath": {"path": "/data"}}
LABELED = {"labels": {"team": "vision"}}


@pytest.mark.parametrize("backend", ["pods", "job", "statefulset"])
def test_the_policy_judges_kubernetes_own_kinds(kyverno: Path, tmp_path: Path, backend: str) -> None:
    for name in ("right", "unlabeled", "host-path"):
        (tmp_path / name).mkdir()
    code, output = apply(kyverno, tmp_path / "right", backend, metadata=LABELED)
    assert (code, "fail: 0" in output, "pass: 0" in output) == (0, True, False), output
    code, output = apply(kyverno, tmp_path / "unlabeled", backend)
    assert code == 1
    assert "the label team is missing" in output
    code, output = apply(kyverno, tmp_path / "host-path", backend, metadata=LABELED, volumes=[HOST_PATH])
    assert code == 1
    assert "hostPath is forbidden" in output


@pytest.mark.parametrize("backend", ["jobset", "pytorchjob", "trainjob", "vcjob"])
def test_the_policy_does_not_judge_the_kinds_of_operators(kyverno: Path, tmp_path: Path, backend: str) -> None:
    """The page warns of this: `--backend pods` is for them."""
    code, output = apply(kyverno, tmp_path, backend, volumes=[HOST_PATH])
    assert (code, "pass: 0, fail: 0" in output) == (0, True), output
