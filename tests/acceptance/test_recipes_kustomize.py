"""docs/recipes/kustomize.md as it stands, with the real kustomize, and what its functions do with errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import recipes
from tests.support.command import JOB, trainc

BUILD = "kustomize build --enable-alpha-plugins --enable-exec"


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kustomize() -> Path:
    return recipes.require("kustomize")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, kustomize: Path) -> Path:
    return recipes.run_page("kustomize", tmp_path_factory.mktemp("page"), kustomize)


def test_the_transformer_compiles_what_kustomize_made_of_the_job(page: Path) -> None:
    job = page / "base" / "mnist.yaml"
    changes = ("--set", "metadata.name=dev-mnist", "--set", "spec.workers=2", "--namespace", "research")
    assert recipes.objects((page / "dev.yaml").read_text()) == recipes.objects(trainc("compile", job, *changes).out)


def test_the_generator_compiles_files(page: Path) -> None:
    compiled = recipes.objects(trainc("compile", page / "generated" / "mnist.yaml", "--namespace", "research").out)
    assert recipes.objects((page / "generated.yaml").read_text()) == compiled
    assert any(kind == "ConfigMap" for kind, _ in compiled)


def kustomization(folder: Path, function: str, **files: str) -> Path:
    """Write a kustomization whose resources are the files, with a function."""
    for name, content in files.items():
        (folder / f"{name}.yaml").write_text(content)
    (folder / "kustomization.yaml").write_text(
        yaml.safe_dump({"resources": [f"{name}.yaml" for name in files]}) + function
    )
    return folder


def functions(role: str, config: dict[str, Any], *arguments: str) -> str:
    executable = yaml.safe_dump({"exec": {"path": "trainc", "args": ["krm-function", *arguments]}})
    metadata = {"name": "trainc", "annotations": {"config.kubernetes.io/function": executable}}
    return yaml.safe_dump(
        {role: [yaml.safe_dump({"apiVersion": "trainc.dev/v1alpha1", "metadata": metadata, **config})]}
    )


TRANSFORMER = functions("transformers", {"kind": "TrainingJobTransformer"})
OTHERS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {team: vision}}
data: {a: "yes", b: "010", c: |-
    text}
---
apiVersion: sagemaker.services.k8s.aws/v1alpha1
kind: TrainingJob
metadata: {name: elsewhere}
spec: {roleARN: "x", timeout: 1.50}
""".replace("|-\n    text", '"text\\n"')


def test_other_objects_are_unchanged(tmp_path: Path, kustomize: Path) -> None:
    kustomization(tmp_path, "", others=OTHERS)
    plain = recipes.run(f"{BUILD} .", tmp_path, kustomize).stdout
    kustomization(tmp_path, TRANSFORMER, others=OTHERS)
    assert recipes.run(f"{BUILD} .", tmp_path, kustomize).stdout == plain
    kustomization(tmp_path, TRANSFORMER, others=OTHERS, job=JOB)
    printed = recipes.run(f"{BUILD} .", tmp_path, kustomize).stdout
    assert {*plain.rstrip().split("\n---\n")} < {*printed.rstrip().split("\n---\n")}


def test_kustomize_prints_errors(tmp_path: Path, kustomize: Path) -> None:
    folder = kustomization(tmp_path, TRANSFORMER, job=JOB.replace("workers: 2", "workers: two"))
    done = recipes.run(f"{BUILD} .", folder, kustomize)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[TC2004]: `spec.workers` cannot be the string" in done.stderr
    assert "  --> <stdin> TrainingJob/mnist:" in done.stderr


def test_a_job_is_a_generator_of_itself(tmp_path: Path, kustomize: Path) -> None:
    job = yaml.safe_load(JOB)
    config = {"kind": job["kind"], "spec": job["spec"]}
    folder = kustomization(tmp_path, functions("generators", config, "--backend", "jobset"))
    done = recipes.run(f"{BUILD} .", folder, kustomize)
    compiled = trainc("compile", "-", "--backend", "jobset", stdin=JOB.replace("name: mnist", "name: trainc")).out
    assert recipes.objects(done.stdout) == recipes.objects(compiled)


def test_kustomizations_are_not_jobs(page: Path) -> None:
    done = trainc("check", page / "base", page / "dev")
    assert (done.code, done.err.count("\n"), done.err[:15]) == (0, 1, "skipped 2 files")


def test_kubectl_has_no_exec_functions(page: Path) -> None:
    done = recipes.run("kubectl kustomize --enable-alpha-plugins --enable-exec dev", page)
    assert "unknown flag: --enable-exec" in done.stderr
