"""A job file and the manifest that trainc compiled from it: checked together, but not compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import JOB, CommandResult, trainc

CREATED_TWICE = "error[TC3002]: two jobs create the object `Service/mnist`"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mnist.yaml").write_text(JOB)


def compile_job(*options: str) -> CommandResult:
    done = trainc("compile", "mnist.yaml", *options)
    assert done.code == 0, done.err
    return done


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset", "pytorchjob", "trainjob", "jobset", "vcjob"])
def test_a_job_is_checked_beside_its_manifest(backend: str) -> None:
    compile_job("--backend", backend, "-o", "manifests/")
    for paths in ((".",), ("mnist.yaml", "manifests/mnist.yaml"), ("manifests/mnist.yaml", "mnist.yaml")):
        checked = trainc("check", *paths)
        assert checked.code == 0, checked.err  # a StatefulSet has a warning of its own


def test_they_are_not_compiled_together() -> None:
    compile_job("-o", "manifests/")
    for command in ("compile", "plan"):
        done = trainc(command, ".", "--ignore", "TC5002")
        assert done.code == 1
        assert CREATED_TWICE in done.err
        assert "= help: leave out ./manifests/mnist.yaml, the manifest of the other" in done.err


def test_two_manifests_of_one_name_are_two_jobs() -> None:
    for folder in ("dev", "prod"):
        compile_job("-o", f"{folder}/")
    checked = trainc("check", "dev", "prod")
    assert checked.code == 1
    assert CREATED_TWICE in checked.err
    assert "= help: rename one of the jobs" in checked.err


def test_a_manifest_of_another_name_is_another_job() -> None:
    compile_job("-o", "manifests/")
    Path("mnist.yaml").write_text(JOB.replace("name: mnist", "name: mnist-0"))
    checked = trainc("check", ".")
    assert checked.code == 1
    assert "two jobs create the object `Service/mnist-0`" in checked.err


def test_a_manifest_that_trainc_did_not_compile_is_another_job() -> None:
    manifest = compile_job().out
    Path("manifest.yaml").write_text(manifest.replace("app.kubernetes.io/managed-by: trainc", "owner: me"))
    checked = trainc("check", ".")
    assert checked.code == 1
    assert CREATED_TWICE in checked.err
