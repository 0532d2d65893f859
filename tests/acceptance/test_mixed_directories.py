"""Directories with jobs and other workloads: only the jobs are judged, whatever else runs containers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import trainc

POD = {"containers": [{"name": "main", "image": "nginx:1", "command": ["nginx", "-g", "daemon off;"]}]}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": POD}
SELECTED = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
JOB = {"template": {"spec": {**POD, "restartPolicy": "Never"}}}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "CronJob": ("batch/v1", {"schedule": "0 3 * * *", "jobTemplate": {"spec": JOB}}),
    "ReplicaSet": ("apps/v1", SELECTED),
    "DaemonSet": ("apps/v1", SELECTED),
    "Deployment": ("apps/v1", SELECTED),
    "Notebook": ("kubeflow.org/v1", {"template": {"spec": POD}}),
    "InferenceService": ("serving.kserve.io/v1beta1", {"predictor": POD}),
    "Workflow": ("argoproj.io/v1alpha1", {"templates": [{"name": "main", "container": POD["containers"][0]}]}),
    "RayCluster": ("ray.io/v1", {"headGroupSpec": {"rayStartParams": {}, "template": {"spec": POD}}}),
    "SparkApplication": ("sparkoperator.k8s.io/v1beta2", {"driver": {"template": {"spec": POD}}}),
}
PROGRAM = {"name": "pytorch", "image": "example.com/train:1", "command": ["torchrun", "train.py", "--resume"]}
WORKER = {"replicas": 2, "template": {"spec": {"containers": [PROGRAM]}}}
TRAINING = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "mnist"},
    "spec": {"elasticPolicy": {"rdzvBackend": "c10d"}, "pytorchReplicaSpecs": {"Worker": WORKER}},
}


def other(kind: str) -> dict[str, Any]:
    version, spec = OTHERS[kind]
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "web"}, "spec": spec}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Directory with a training job and the other kinds, a file each."""
    for kind in OTHERS:
        (tmp_path / f"{kind.lower()}.yaml").write_text(json.dumps(other(kind)))
    (tmp_path / "job.yaml").write_text(json.dumps(TRAINING))
    return tmp_path


@pytest.mark.parametrize("options", [[], ["--jobs-only"]])
def test_a_directory_has_the_findings_of_its_job(folder: Path, options: list[str]) -> None:
    done, alone = trainc("check", folder, *options), trainc("check", folder / "job.yaml")
    assert (done.code, alone.code) == (0, 0)
    assert "error" not in done.err
    assert done.err.count("[TC") == alone.err.count("[TC")


@pytest.mark.parametrize("kind", OTHERS)
def test_a_stream_has_the_findings_of_its_job(kind: str) -> None:
    stream = "\n---\n".join(map(json.dumps, (other(kind), TRAINING)))
    assert trainc("check", "-", stdin=stream).err.count("[TC") == trainc(
        "check", "-", stdin=json.dumps(TRAINING)
    ).err.count("[TC")


def test_files_without_a_job_may_be_named_with_jobs_only(folder: Path) -> None:
    (folder / "job.yaml").unlink()
    names = sorted(folder.iterdir())
    done = trainc("check", "--jobs-only", *names)
    assert (done.code, done.err.split(":")[0]) == (0, f"skipped {len(OTHERS)} files without a job")
    assert trainc("check", *names).code == 1


def test_the_plan_of_an_unknown_kind_alone_says_that_it_has_no_pods() -> None:
    done = trainc("plan", "--manifests", "-", stdin=json.dumps(other("ReplicaSet")))
    assert "unknown kind with containers" in done.out + done.err
