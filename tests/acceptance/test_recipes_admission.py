"""The rules in Rego of docs/recipes/admission.md, run by the real conftest on the manifests of every back end."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import build, go_programs, recipes
from tests.support.command import succeed

pytestmark = pytest.mark.slow

DIGEST = "sha256:" + "0123456789abcdef" * 4
BACKENDS = ("pods", "job", "jobset", "pytorchjob", "statefulset", "vcjob", "trainjob")


@pytest.fixture(scope="module")
def conftest() -> Path:
    try:
        return go_programs.program("conftest")
    except (OSError, subprocess.SubprocessError):  # also of an older Go, which refuses its go.mod at once
        pytest.skip("conftest can't be built: it needs Go 1.26.8 and the Go module proxy")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("admission")
    recipes.write("admission", folder)
    return folder


def violations(conftest: Path, rules: Path, backend: str, **spec: Any) -> set[str]:
    """Return the messages of conftest about the manifests of a job, without the names of objects."""
    compiled = succeed("compile", "-", "-b", backend, stdin=build.job_text(launch={"torchrun": {}}, workers=2, **spec))
    command = [str(conftest), "test", "-", "--output", "json"]
    done = subprocess.run(command, input=compiled.out, cwd=rules, capture_output=True, text=True, check=False)
    messages = {each["msg"] for result in json.loads(done.stdout) for each in result.get("failures", [])}
    assert done.returncode == (1 if messages else 0), done.stderr
    return {message.partition(": ")[2] for message in messages}


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_rules_judge_the_manifests_of_a_back_end(conftest: Path, rules: Path, backend: str) -> None:
    assert violations(conftest, rules, backend, image=f"train@{DIGEST}") == set()
    data = {"name": "data", "mountPath": "/data", "hostPath": {"path": "/data"}}
    found = violations(conftest, rules, backend, image="train:1.0", volumes=[data])
    assert found == {"image train:1.0 has no digest", "volume data is a hostPath"}
