"""`trainc list`: the rows of a fleet; expected numbers are products of the numbers in the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import JOB, fail, silent, trainc
from tests.support.files import write_project
from trainc.cli.compilation import MANY

POD = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: bert, namespace: nlp, labels: {team: nlp, kueue.x-k8s.io/queue-name: batch}}
spec:
  runPolicy: {activeDeadlineSeconds: 7200}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: &pod
        spec:
          containers:
          - name: pytorch
            image: train:1
            command: [torchrun, train.py]
            resources: {limits: {nvidia.com/gpu: 4, vpc.amazonaws.com/efa: 4}}
    Worker: {replicas: 3, template: *pod}
"""


def job(name: str, workers: int, gpus: int, more: str = "", labels: str = "") -> str:
    text = JOB.replace("name: mnist", f"name: {name}" + (f"\n  labels: {{{labels}}}" if labels else ""))
    return text.replace("workers: 2", f"workers: {workers}\n  resources: {{gpu: {gpus}}}") + more


@pytest.fixture(autouse=True)
def fleet(here: Path) -> Path:
    folder = here / "jobs"
    folder.mkdir()
    (folder / "big.yaml").write_text(job("big", 16, 8, labels="team: vision, stage: prod"))
    limited = "  lifecycle: {activeDeadlineSeconds: 5400}\n  network: {rdma: {resource: rdma/hca, count: 1}}\n"
    (folder / "fast.yaml").write_text(job("fast", 10, 8, limited, "owner: ann, team: speech"))
    (folder / "small.yaml").write_text(job("small", 1, 1, "  scheduling: {queue: gpu}\n"))
    (folder / "bert.yaml").write_text(POD)
    return folder


def rows(*arguments: str) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(silent("list", "jobs/", "-f", "json", *arguments))}


def test_a_row_has_the_size_the_bound_and_the_owner_of_a_job() -> None:
    found = rows()
    assert list(found) == ["bert", "big", "fast", "small"]
    fields = ("system", "pods", "gpus", "hours", "gpuHours", "fabric", "queue", "owner")
    assert {name: tuple(row[each] for each in fields) for name, row in found.items()} == {
        "bert": ("pytorchjob", 4, 16, 2, 32, "efa", "batch", "nlp"),
        "big": ("job", 16, 128, None, None, "none", None, "vision"),
        "fast": ("job", 10, 80, 1.5, 120, "rdma", None, "ann"),
        "small": ("job", 1, 1, None, None, "none", "gpu", None),
    }
    assert found["bert"]["namespace"] == "nlp"
    assert found["big"]["file"] == "jobs/big.yaml"
    assert found["big"]["labels"]["stage"] == "prod"


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (["gpus>64", "fabric=none"], ["big"]),
        (["gpus>64"], ["big", "fast"]),
        (["gpus >= 128"], ["big"]),
        (["gpus!=128", "pods<10"], ["bert", "small"]),
        (["hours=none"], ["big", "small"]),
        (["hours>1"], ["bert", "big", "fast", "small"]),
        (["hours<=1.5"], ["fast"]),
        (["gpu-hours<100"], ["bert"]),
        (["gpu-hours>1000"], ["big", "small"]),
        (["owner=none"], ["small"]),
        (["owner!=none", "system=job"], ["big", "fast"]),
        (["queue=batch"], ["bert"]),
        (["job=b*"], ["bert", "big"]),
        (["file=jobs/s*"], ["small"]),
        (["label.stage=prod"], ["big"]),
        (["namespace=nlp"], ["bert"]),
        (["fabric=efa"], ["bert"]),
    ],
)
def test_filters_select_rows(filters: list[str], names: list[str]) -> None:
    assert list(rows(*(word for each in filters for word in ("--filter", each)))) == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpus", "`gpus` is not a comparison such as gpus>64 or fabric=none"),
        ("gpu>4", "`gpu` is not a field: use pods, gpus,"),
        ("gpus>many", "`gpus` is compared with a number, not `many`"),
        ("hours>x", "`hours` is compared with a number or none, not `x`"),
        ("owner>a", "`owner` is a text, which is compared by = or !="),
    ],
)
def test_an_invalid_filter_is_a_usage_error(text: str, message: str) -> None:
    assert message in " ".join(fail("list", "jobs/", "--filter", text, code=2).replace("│", "").split())


def test_the_table_fits_80_columns_and_ends_with_a_total() -> None:
    text = trainc("list", "jobs/").out
    assert max(map(len, text.splitlines())) <= 80
    total = "no limit on GPU-hours: 2 jobs with GPUs have no time limit;\n  152 at most for the others"
    assert text.endswith(f"\n4 jobs, 225 GPUs, {total}\n")


@pytest.mark.parametrize(
    ("filters", "total"),
    [
        (["hours=none"], "2 jobs, 129 GPUs, no limit on GPU-hours: 2 jobs with GPUs have no time limit"),
        (["job=big"], "1 job, 128 GPUs, no limit on GPU-hours: 1 job with GPUs has no time limit"),
        (["hours!=none"], "2 jobs, 96 GPUs, 152 GPU-hours at most"),
        (["job=x"], "0 jobs, 0 GPUs, 0 GPU-hours at most"),
    ],
)
def test_the_total_has_a_bound_only_if_every_job_with_gpus_has_one(filters: list[str], total: str) -> None:
    text = trainc("list", "jobs/", *(word for each in filters for word in ("--filter", each))).out
    assert text.splitlines()[-1] == total


def test_other_jobs_are_listed_if_one_cannot_be_read(fleet: Path) -> None:
    (fleet / "broken.yaml").write_text(JOB.replace("workers: 2", "workers: two"))
    result = trainc("list", "jobs/")
    assert result.code == 1
    assert "error[TC2004]" in result.err
    assert "the other jobs are listed" in result.err
    assert "\nbig " in result.out


def test_a_job_with_errors_of_rules_is_listed(fleet: Path) -> None:
    (fleet / "wrong.yaml").write_text(
        job(
            "wrong",
            2,
            8,
            "  volumes: [{name: a, mountPath: /a, emptyDir: {}}, {name: a, mountPath: /b, emptyDir: {}}]\n",
        )
    )
    assert trainc("check", "jobs/wrong.yaml").code == 1
    assert rows()["wrong"]["gpus"] == 16


def test_the_project_names_the_jobs_the_back_end_and_the_clusters(tmp_path: Path) -> None:
    entry = "apiVersion: trainc.dev/v1alpha1\nkind: Cluster\nmetadata: {name: NAME}\nspec: {}\n"
    for name in ("prod", "dev"):
        (tmp_path / f"{name}.yaml").write_text(entry.replace("NAME", name))
    clusters = (
        "clusters: {prod: {file: prod.yaml, jobs: [jobs/big.yaml]}, dev: {file: dev.yaml, jobs: [jobs/small.yaml]}}\n"
    )
    write_project(f"jobs: [jobs/]\nbackend: jobset\n{clusters}", tmp_path)
    found = {row["name"]: row for row in json.loads(trainc("list", "-f", "json").out)}
    assert found["big"]["system"] == "jobset"
    assert (found["big"]["cluster"], found["small"]["cluster"]) == ("prod", "dev")


def test_values_of_a_file_apply_to_all_jobs(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("spec: {workers: 3}\n")
    jobs = rows("--values", "values.yaml", "--set", "spec.resources.gpu=2")
    assert [jobs[name]["gpus"] for name in ("big", "fast", "small")] == [6, 6, 6]


def test_many_files_give_the_same_rows_in_several_processes(fleet: Path) -> None:
    for number in range(MANY):
        (fleet / f"job-{number}.yaml").write_text(job(f"job-{number}", 2, 4))
    one, two = (trainc("list", "jobs/", "--jobs", count) for count in ("1", "2"))
    assert one == two
    assert one.out.count("\njob-") == MANY
