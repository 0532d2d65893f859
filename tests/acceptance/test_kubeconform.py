"""Every golden manifest is valid, without unknown fields, in each Kubernetes version that it is meant for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import trainc
from tests.support import build
from tests.support.examples import CASES, accepted, compiled
from tests.support.kubeconform import ROOT, VERSIONS, UnavailableError, demand, validate, validate_in_process

# The first Kubernetes whose schemas have every field of a golden, by "example/backend".
MINIMUM_VERSION: dict[str, str] = {
    # successPolicy: the job is done when worker 0 is, asked for or because it is elastic.
    "queue/job": "1.30",
    "deepspeed-autotune/job": "1.30",
    "deepspeed-ssh/job": "1.30",
    "real-deepspeedjob-gpt/job": "1.30",
    "real-deepspeedjob-rlhf/job": "1.30",
    "real-deepspeedjob-t9k/job": "1.30",
    "real-pytorchjob-elastic/job": "1.30",
    "real-pytorchjob-mlbatch/job": "1.30",
    "real-tlaunch-torchrun/job": "1.30",
    "autoscaled/job": "1.30",
    "spot/job": "1.30",
    "torchrun-elastic/job": "1.30",
    "torchrun-etcd/job": "1.30",
    "torchrun-etcd-managed/job": "1.30",
}

# Kinds of operators, as group/version/Kind: Kubernetes has no schema for them.
CUSTOM_KINDS: tuple[str, ...] = ("scheduling.volcano.sh/v1beta1/PodGroup", "scheduler.tensorstack.dev/v1beta1/PodGroup")

SERVICE_WITHOUT_PORT = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{name: rdzv}]}"
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: resnet}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: trainer
        image: train:1
        env: [{name: EPOCHS, value: "3"}]
        resources: {limits: {cpu: 1, nvidia.com/gpu: "8"}}
"""
PYTORCHJOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: resnet}
spec:
  nprocPerNode: "8"
  runPolicy: {cleanPodPolicy: Running, backoffLimit: 6}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {labels: {a: b}}
        spec:
          containers:
          - name: pytorch
            image: train:1
            resources: {limits: {cpu: 1, nvidia.com/gpu: "8"}}
"""
BROKEN = {
    "an unknown field of the job": JOB.replace("completionMode", "completionmode"),
    "an unknown field of a container": JOB.replace("image:", "imagePolicy: Always\n        image:"),
    "a field of a later Kubernetes": JOB.replace("restartPolicy", "fromTheFuture: 1\n      restartPolicy"),
    "a number where a string belongs": JOB.replace('"3"', "3"),
    "a string where a number belongs": JOB.replace("parallelism: 2", 'parallelism: "2"'),
    "a boolean where a quantity belongs": JOB.replace("cpu: 1", "cpu: true"),
    "a map where a list belongs": JOB.replace("- name: trainer", "  name: trainer"),
    "a container without a name": JOB.replace("- name: trainer\n        image", "- image"),
    "a job without a template": JOB.partition("  template:")[0],
    "a service port without a number": SERVICE_WITHOUT_PORT,
    "an api version that never was": JOB.replace("batch/v1", "batch/v7"),
    "a kind that never was": JOB.replace("kind: Job", "kind: Work"),
    "an unknown field of an operator's": PYTORCHJOB.replace("cleanPodPolicy", "cleanupPodPolicy"),
    "a number that an operator wants as a string": PYTORCHJOB.replace('"8"', "8"),
    "a field of a pod that is newer than the operator": PYTORCHJOB.replace(
        "containers", "resources: {}\n          containers"
    ),
}


def goldens(folder: Path = ROOT / "golden") -> list[Path]:
    found = sorted(folder.glob("*/*.yaml"))
    if not found:
        pytest.fail(f"there is no golden manifest in {folder}/*/", pytrace=False)
    return found


def key_of(golden: Path) -> str:
    return f"{golden.parent.name}/{golden.stem}"


def supporting(files: Sequence[Path], version: str, minimum: Mapping[str, str]) -> list[Path]:
    """The files that a Kubernetes version is new enough for."""
    return [file for file in files if _order(minimum.get(key_of(file), version)) <= _order(version)]


def needless(files: Sequence[Path], minimum: Mapping[str, str]) -> list[str]:
    """What is wrong with `minimum`: entries without a golden, or with one that an older version accepts."""
    by_key = {key_of(file): file for file in files}
    problems = []
    for key, version in minimum.items():
        older = [known for known in VERSIONS if _order(known) < _order(version)]
        if key not in by_key:
            problems.append(f"{key}: there is no such golden")
        elif not older or not validate([by_key[key]], older[-1], CUSTOM_KINDS):
            problems.append(f"{key}: does not need {version}")
    return problems


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@cache
def documents(file: Path) -> list[dict[str, Any]]:
    return [document for document in YAML(typ="safe").load_all(file.read_text("utf-8")) if document]


@pytest.fixture(scope="session")
def kubeconform(request: pytest.FixtureRequest) -> Path:
    return demand(request.config)


@pytest.fixture
def broken_files(tmp_path: Path) -> dict[Path, str]:
    files = {tmp_path / f"{name.replace(' ', '-')}.yaml": text for name, text in BROKEN.items()}
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    return files


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.usefixtures("kubeconform")
def test_every_golden_is_valid_in(version: str) -> None:
    files = supporting(goldens(), version, MINIMUM_VERSION)
    assert validate(files, version, CUSTOM_KINDS) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_every_golden_is_valid_without_kubeconform_in(version: str) -> None:
    try:
        for file in supporting(goldens(), version, MINIMUM_VERSION):
            assert validate_in_process(documents(file), version, CUSTOM_KINDS) == [], key_of(file)
    except UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.usefixtures("kubeconform")
def test_what_is_compiled_for_a_version_is_valid_in(version: str, tmp_path: Path) -> None:
    files = []
    for example, backend in CASES:
        if accepted(example, backend):
            file = tmp_path / f"{example}.{backend}.yaml"
            file.write_text(compiled(example, backend, version).to_yaml(), encoding="utf-8")
            files.append(file)
    assert files
    assert validate(files, version, CUSTOM_KINDS) == []


@pytest.mark.parametrize("backend", build.PLAIN)
@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
@pytest.mark.usefixtures("kubeconform")
def test_a_gang_of_kubernetes_own_is_valid_in(version: str, backend: str, tmp_path: Path) -> None:
    file = tmp_path / "gang.yaml"
    job = build.text(workers=2, scheduling={"gang": "kubernetes"})
    result = trainc.compile(job, backend=backend, kubernetes_version=version)
    file.write_text(result.to_yaml(), encoding="utf-8")
    assert validate([file], version) == []
    assert validate_in_process(documents(file), version) == []


@pytest.mark.usefixtures("kubeconform")
def test_every_minimum_version_is_needed() -> None:
    assert needless(goldens(), MINIMUM_VERSION) == []


def test_every_custom_kind_is_in_some_golden() -> None:
    kinds = {f"{doc['apiVersion']}/{doc['kind']}" for file in goldens() for doc in documents(file)}
    assert set(CUSTOM_KINDS) <= kinds


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
@pytest.mark.usefixtures("kubeconform")
def test_both_validators_reject_what_is_broken_in(version: str, broken_files: dict[Path, str]) -> None:
    problems = validate(list(broken_files), version)
    for file in broken_files:
        assert any(problem.startswith(f"{file}: ") for problem in problems), f"kubeconform accepts {file.stem}"
        assert validate_in_process(documents(file), version), f"the process accepts {file.stem}"


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
@pytest.mark.parametrize("text", [JOB, PYTORCHJOB])
@pytest.mark.usefixtures("kubeconform")
def test_both_validators_accept_the_manifest_that_was_broken_in(text: str, version: str, tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(text, encoding="utf-8")
    assert validate([file], version) == []
    assert validate_in_process(documents(file), version) == []


@pytest.mark.usefixtures("kubeconform")
def test_a_file_without_a_resource_is_a_problem_and_a_leading_separator_is_not(tmp_path: Path) -> None:
    empty, separated = tmp_path / "empty.yaml", tmp_path / "separated.yaml"
    empty.write_text("---\n# nothing\n", encoding="utf-8")
    separated.write_text(f"---\n{JOB}---\n", encoding="utf-8")
    assert validate([empty, separated], VERSIONS[-1]) == [f"{empty}: holds no resource"]


@pytest.mark.usefixtures("kubeconform")
def test_a_custom_kind_is_passed_over_only_when_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "job.yaml"
    file.write_text("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}", encoding="utf-8")
    for skip in ((), ("kubeflow.org/v1/PyTorchJob",)):
        assert bool(validate([file], VERSIONS[-1], skip)) is not bool(skip)
        assert bool(validate_in_process(documents(file), VERSIONS[-1], skip)) is not bool(skip)


@pytest.mark.usefixtures("kubeconform")
def test_a_minimum_version_is_kept_apart_from_a_needless_one(tmp_path: Path) -> None:
    files = [tmp_path / "success" / "job.yaml", tmp_path / "plain" / "job.yaml"]
    policy = "successPolicy: {rules: [{succeededIndexes: '0'}]}\n  template:"
    for file, text in zip(files, (JOB.replace("template:", policy), JOB), strict=True):
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
    minimum = {"success/job": "1.30", "plain/job": "1.31", "gone/job": "1.30"}
    assert supporting(files, "1.29", minimum) == []
    assert supporting(files, "1.30", minimum) == files[:1]
    assert validate(files[:1], "1.30") == []
    assert needless(files, minimum) == ["plain/job: does not need 1.31", "gone/job: there is no such golden"]
