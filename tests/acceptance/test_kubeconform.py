"""Every golden manifest is strictly valid in each Kubernetes version that it supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import trainc
from tests.support import build
from tests.support.examples import CASES, accepted, compiled, example_path
from tests.support.files import write
from tests.support.kubeconform import (
    CRDS,
    ROOT,
    VERSIONS,
    UnavailableError,
    require_kubeconform,
    validate,
    validate_in_process,
)

# The first Kubernetes whose schemas have every field of a golden, by "example/backend".
MINIMUM_VERSION: dict[str, str] = {
    # successPolicy: worker 0 ends the job, by request or because the job is elastic.
    "accelerate-elastic/job": "1.30",
    "mpirun/job": "1.30",
    "mpirun-mpich/job": "1.30",
    "nccl-tests/job": "1.30",
    "queue/job": "1.30",
    "gang-elastic/job": "1.30",
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
    "torchelastic/job": "1.30",
    "torchrun-elastic/job": "1.30",
    "torchrun-etcd/job": "1.30",
    "torchrun-etcd-managed/job": "1.30",
    # resourceClaimTemplateName, which was in `source` before.
    **{f"nvlink-domain/{backend}": "1.31" for backend in ("job", "pods", "statefulset")},
}

# Kinds of operators without a schema, as group/version/Kind.
CUSTOM_KINDS: tuple[str, ...] = (
    "scheduling.volcano.sh/v1beta1/PodGroup",
    "scheduler.tensorstack.dev/v1beta1/PodGroup",
    "resource.nvidia.com/v1beta1/ComputeDomain",
)

# `make test` validates with the oldest and the newest schemas, `make test-all` with all.
EACH_VERSION = [
    version if version in (VERSIONS[0], VERSIONS[-1]) else pytest.param(version, marks=pytest.mark.slow)
    for version in VERSIONS
]

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
    "an api version that does not exist": JOB.replace("batch/v1", "batch/v7"),
    "a kind that does not exist": JOB.replace("kind: Job", "kind: Work"),
    "an unknown field of an operator": PYTORCHJOB.replace("cleanPodPolicy", "cleanupPodPolicy"),
    "a number where an operator requires a string": PYTORCHJOB.replace('"8"', "8"),
    "a field of a pod that is newer than the operator": PYTORCHJOB.replace(
        "containers", "resources: {}\n          containers"
    ),
}


def goldens(folder: Path = ROOT / "golden") -> list[Path]:
    files = sorted(folder.glob("*/*.yaml"))
    if not files:
        pytest.fail(f"no golden manifest in {folder}/*/", pytrace=False)
    return files


def golden_key(golden: Path) -> str:
    return f"{golden.parent.name}/{golden.stem}"


def supported_goldens(files: Sequence[Path], version: str, minimum: Mapping[str, str]) -> list[Path]:
    """Return the files that a Kubernetes version supports."""
    return [file for file in files if version_key(minimum.get(golden_key(file), version)) <= version_key(version)]


def incorrect_minimum_versions(files: Sequence[Path], minimum: Mapping[str, str]) -> list[str]:
    """Return the problems of `minimum`: entries without a golden, or whose golden an older version accepts."""
    by_key = {golden_key(file): file for file in files}
    older = {key: previous_version(version) for key, version in minimum.items() if key in by_key}
    invalid: set[Path] = set()
    for version in filter(None, set(older.values())):
        candidates = [by_key[key] for key in older if older[key] == version]
        problems = validate(candidates, version, CUSTOM_KINDS)
        invalid |= {file for file in candidates if any(problem.startswith(f"{file}: ") for problem in problems)}
    result = []
    for key, version in minimum.items():
        if key not in by_key:
            result.append(f"{key}: no such golden")
        elif by_key[key] not in invalid:
            result.append(f"{key}: does not need {version}")
    return result


def previous_version(version: str) -> str | None:
    older = [known for known in VERSIONS if version_key(known) < version_key(version)]
    return older[-1] if older else None


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@cache
def documents(file: Path) -> list[dict[str, Any]]:
    return [document for document in YAML(typ="safe").load_all(file.read_text("utf-8")) if document]


@pytest.fixture(scope="session")
def kubeconform(request: pytest.FixtureRequest) -> Path:
    return require_kubeconform(request.config)


@pytest.fixture
def broken_files(tmp_path: Path) -> dict[Path, str]:
    files = {tmp_path / f"{name.replace(' ', '-')}.yaml": text for name, text in BROKEN.items()}
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
    return files


@pytest.mark.parametrize("version", EACH_VERSION)
@pytest.mark.usefixtures("kubeconform")
def test_goldens_are_valid(version: str) -> None:
    files = supported_goldens(goldens(), version, MINIMUM_VERSION)
    assert validate(files, version, CUSTOM_KINDS) == []


@pytest.mark.slow
@pytest.mark.parametrize("version", EACH_VERSION)
def test_goldens_are_valid_by_jsonschema(version: str) -> None:
    try:
        for file in supported_goldens(goldens(), version, MINIMUM_VERSION):
            assert validate_in_process(documents(file), version, CUSTOM_KINDS) == [], golden_key(file)
    except UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.mark.slow
@pytest.mark.parametrize("version", EACH_VERSION)
@pytest.mark.usefixtures("kubeconform")
def test_output_for_a_version_is_valid_in_it(version: str, tmp_path: Path) -> None:
    files = []
    for example, backend in CASES:
        # trainc warns of claims before 1.34, and writes them as they are now.
        if accepted(example, backend) and (example != "nvlink-domain" or version >= "1.31"):
            file = write(tmp_path / f"{example}.{backend}.yaml", compiled(example, backend, version).to_yaml())
            files.append(file)
    assert files
    assert validate(files, version, CUSTOM_KINDS) == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("backend", build.NATIVE_BACKENDS)
@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
@pytest.mark.usefixtures("kubeconform")
def test_kubernetes_gang_is_valid(version: str, backend: str, tmp_path: Path) -> None:
    file = tmp_path / "gang.yaml"
    job = build.job_text(workers=2, scheduling={"gang": "kubernetes"})
    result = trainc.compile(job, backend=backend, kubernetes_version=version)
    file.write_text(result.to_yaml(), encoding="utf-8")
    assert validate([file], version) == []
    assert validate_in_process(documents(file), version) == []


@pytest.mark.slow
@pytest.mark.parametrize("release", ["0.10", "0.11"])
@pytest.mark.usefixtures("kubeconform")
def test_jobset_goldens_are_valid_in_older_releases(release: str) -> None:
    files = [file for file in goldens() if file.stem == "jobset"]
    assert validate(files, VERSIONS[-1], CUSTOM_KINDS, CRDS / f"jobset-{release}") == []


def trainer_output(release: str, folder: Path) -> list[Path]:
    """Compile all examples for a release of Kubeflow Trainer.

    Some have a ttlSecondsAfterFinished, for which 2.1 runs a finished job again: docs/errors/TC4002.md
    """
    files = []
    examples = [example for example, backend in CASES if backend == "trainjob" and accepted(example, backend)]
    for example in examples if release != "2.1" else sorted({*examples} - {"cleanup", "lifecycle"}):
        text = example_path(example).read_bytes()
        file = str(example_path(example))
        result = trainc.compile(text, backend="trainjob", versions={"trainer": release}, filename=file)
        assert result.ok, (example, result.diagnostics)
        files.append(folder / f"{example}.yaml")
        files[-1].write_text(result.to_yaml(), encoding="utf-8")
    return files


@pytest.mark.slow
@pytest.mark.parametrize("release", ["2.1", "2.2"])
@pytest.mark.usefixtures("kubeconform")
def test_output_for_a_release_of_kubeflow_trainer_is_valid_in_it(release: str, tmp_path: Path) -> None:
    files = trainer_output(release, tmp_path)
    assert validate(files, VERSIONS[-1], CUSTOM_KINDS, CRDS / f"trainer-{release}") == []


@pytest.mark.usefixtures("kubeconform")
def test_releases_of_kubeflow_trainer_reject_the_fields_of_others(tmp_path: Path) -> None:
    def rejected(name: str, crds: Path) -> bool:
        return bool(validate([tmp_path / name], VERSIONS[-1], CUSTOM_KINDS, crds))

    older, old = CRDS / "trainer-2.1", CRDS / "trainer-2.2"
    trainer_output("2.1", tmp_path)
    assert rejected("cluster-runtime.yaml", old)
    trainer_output("2.3", tmp_path)
    # runtimePatches, activeDeadlineSeconds, and terminationGracePeriodSeconds in a patch
    assert [rejected(name, older) for name in ("cluster-runtime.yaml", "lifecycle.yaml")] == [True, True]
    grace: dict[str, Any] = {"launch": {"torchrun": {}}, "lifecycle": {"terminationGracePeriodSeconds": 60}}
    result = trainc.compile(build.job_text(**grace, scheduling={"runtime": "a"}), backend="trainjob")
    (tmp_path / "grace.yaml").write_text(result.to_yaml(), encoding="utf-8")
    assert [rejected("grace.yaml", crds) for crds in (old, CRDS)] == [True, False]


@pytest.mark.usefixtures("kubeconform")
def test_every_minimum_version_is_needed() -> None:
    assert incorrect_minimum_versions(goldens(), MINIMUM_VERSION) == []


@pytest.mark.slow
def test_every_custom_kind_is_in_some_golden() -> None:
    kinds = {f"{doc['apiVersion']}/{doc['kind']}" for file in goldens() for doc in documents(file)}
    assert set(CUSTOM_KINDS) <= kinds


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
@pytest.mark.usefixtures("kubeconform")
def test_both_validators_reject_broken_manifests(version: str, broken_files: dict[Path, str]) -> None:
    problems = validate(list(broken_files), version)
    for file in broken_files:
        assert any(problem.startswith(f"{file}: ") for problem in problems), f"kubeconform accepts {file.stem}"
        assert validate_in_process(documents(file), version), f"jsonschema accepts {file.stem}"


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
@pytest.mark.parametrize("text", [JOB, PYTORCHJOB])
@pytest.mark.usefixtures("kubeconform")
def test_both_validators_accept_valid_manifests(text: str, version: str, tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", text)
    assert validate([file], version) == []
    assert validate_in_process(documents(file), version) == []


@pytest.mark.usefixtures("kubeconform")
def test_a_file_without_a_resource_is_a_problem_but_a_leading_separator_is_not(tmp_path: Path) -> None:
    empty, separated = tmp_path / "empty.yaml", tmp_path / "separated.yaml"
    empty.write_text("---\n# nothing\n", encoding="utf-8")
    separated.write_text(f"---\n{JOB}---\n", encoding="utf-8")
    assert validate([empty, separated], VERSIONS[-1]) == [f"{empty}: contains no resource"]


@pytest.mark.usefixtures("kubeconform")
def test_a_custom_kind_is_skipped_by_name_only(tmp_path: Path) -> None:
    file = write(tmp_path / "job.yaml", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}")
    for skip in ((), ("kubeflow.org/v1/PyTorchJob",)):
        assert bool(validate([file], VERSIONS[-1], skip)) is not bool(skip)
        assert bool(validate_in_process(documents(file), VERSIONS[-1], skip)) is not bool(skip)


@pytest.mark.usefixtures("kubeconform")
def test_incorrect_minimum_versions_are_reported(tmp_path: Path) -> None:
    files = [tmp_path / "success" / "job.yaml", tmp_path / "plain" / "job.yaml"]
    policy = "successPolicy: {rules: [{succeededIndexes: '0'}]}\n  template:"
    for file, text in zip(files, (JOB.replace("template:", policy), JOB), strict=True):
        write(file, text)
    minimum = {"success/job": "1.30", "plain/job": "1.31", "gone/job": "1.30"}
    assert supported_goldens(files, "1.29", minimum) == []
    assert supported_goldens(files, "1.30", minimum) == files[:1]
    assert validate(files[:1], "1.30") == []
    assert incorrect_minimum_versions(files, minimum) == ["plain/job: does not need 1.31", "gone/job: no such golden"]
