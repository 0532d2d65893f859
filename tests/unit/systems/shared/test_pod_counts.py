"""The bound of a job's pods holds in every system, before pods and their names are computed."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import trainc
from trainc.plan.plan import plan
from trainc.systems.registry import READABLE, find
from trainc.systems.shared.pod_counts import excess
from trainc.well_known import MAX_WORKERS

ROOT = Path(__file__).resolve().parents[4]
BILLION = 10**9
CONTAINER = {"name": "c", "image": "i:1", "command": ["torchrun", "--nnodes=2", "train.py"]}
TEMPLATE = {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}}
Role = dict[str, Any]


def role(count: int, field: str = "replicas") -> Role:
    return {field: count, "template": TEMPLATE}


def jobs(replicas: int, parallelism: int) -> Role:
    return {"replicas": replicas, "template": {"spec": role(parallelism, "parallelism")}}


SPECS: dict[str, tuple[str, Callable[[int], Role]]] = {
    "job": ("spec.parallelism", lambda n: role(n, "parallelism")),
    "statefulset": ("spec.replicas", role),
    "jobset": ("spec.replicatedJobs[0].replicas", lambda n: {"replicatedJobs": [{"name": "w", **jobs(n, 1)}]}),
    "trainjob": (
        "spec.trainer.numNodes",
        lambda n: {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": n}},
    ),
    "pytorchjob": ("spec.pytorchReplicaSpecs.Worker.replicas", lambda n: {"pytorchReplicaSpecs": {"Worker": role(n)}}),
    "deepspeedjob": ("spec.worker.replicas", lambda n: {"worker": role(n)}),
    "elasticjob": ("spec.replicaSpecs.Worker.replicas", lambda n: {"replicaSpecs": {"Worker": role(n)}}),
    "pytorchtrainingjob": ("spec.replicaSpecs[0].replicas", lambda n: {"replicaSpecs": [{"type": "w", **role(n)}]}),
    "mpijob": (
        "spec.mpiReplicaSpecs.Worker.replicas",
        lambda n: {"mpiReplicaSpecs": {"Launcher": {"template": TEMPLATE}, "Worker": role(n)}},
    ),
    "vcjob": ("spec.tasks[0].replicas", lambda n: {"tasks": [{"name": "w", **role(n)}], "plugins": {"svc": []}}),
    "rayjob": (
        "spec.rayClusterSpec.workerGroupSpecs[0].replicas",
        lambda n: {"rayClusterSpec": {"headGroupSpec": role(1), "workerGroupSpecs": [{"groupName": "w", **role(n)}]}},
    ),
}
PLANNED = [name for name in SPECS if "model" in find(name).parts]


def manifest(name: str, spec: Role) -> dict[str, Any]:
    traits = find(name).traits
    return {"apiVersion": traits.api_versions[0], "kind": traits.kind, "metadata": {"name": "big"}, "spec": spec}


@pytest.fixture
def _little_memory() -> Iterator[None]:
    """A billion host names need 30 GB."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, limits)


def test_every_system_that_creates_pods_has_a_bound() -> None:
    assert {system.name for system in READABLE} - {"pods"} == set(SPECS)


def test_it_is_that_of_a_job_file() -> None:
    """The schema alone bounds trainc's own jobs."""
    schema = json.loads((ROOT / "schemas" / "trainingjob.json").read_text("utf-8"))
    assert schema["definitions"]["Spec"]["properties"]["workers"]["maximum"] == MAX_WORKERS


@pytest.mark.usefixtures("_little_memory")
@pytest.mark.parametrize("command", ["check", "plan", "import", "compile"])
@pytest.mark.parametrize("name", SPECS)
def test_a_billion_pods_are_an_error_at_the_field(name: str, command: str, tmp_path: Path) -> None:
    field, spec = SPECS[name]
    file = tmp_path / "big.json"
    file.write_text(json.dumps(manifest(name, spec(BILLION))), "utf-8")
    done = trainc(command, str(file))
    assert done.code == 1
    assert f"error[TC2005]: `{field}` cannot be 1000000000\n" in done.err
    assert done.err.count("error[") == 1, done.err


@pytest.mark.usefixtures("_little_memory")
@pytest.mark.parametrize("name", PLANNED)
def test_a_plan_of_manifests_has_a_finding_and_no_pods(name: str) -> None:
    field, spec = SPECS[name]
    planned = plan([manifest(name, spec(BILLION))])
    assert not planned.workers
    assert any(f"`{field}` cannot be 1000000000" in finding.message for finding in planned.findings)


@pytest.mark.parametrize("name", SPECS)
def test_the_bound_itself_is_possible(name: str) -> None:
    _, spec = SPECS[name]
    assert excess(manifest(name, spec(MAX_WORKERS))) is None
    assert excess(manifest(name, spec(MAX_WORKERS + 1))) is not None


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        (
            "jobset",
            {"replicatedJobs": [{"name": "w", **jobs(40_000, 30_000)}]},
            "`spec.replicatedJobs[0].replicas` cannot be 40000 in a job of 1200000000 pods",
        ),
        (
            "vcjob",
            {"tasks": [role(50_000), role(50_001)]},
            "`spec.tasks[1].replicas` cannot be 50001 in a job of 100001 pods",
        ),
        (
            "pytorchjob",
            {"pytorchReplicaSpecs": {"Master": role(1), "Worker": role(100_000)}},
            "`spec.pytorchReplicaSpecs.Worker.replicas` cannot be 100000 in a job of 100001 pods",
        ),
    ],
)
def test_roles_count_together(name: str, spec: Role, message: str) -> None:
    found = excess(manifest(name, spec))
    assert found is not None
    assert found.message == message


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("jobset", {"replicatedJobs": [{"name": "w", **jobs(100_000, 1)}, {"name": "v", **jobs(0, 5)}]}),
        ("jobset", {"replicatedJobs": [{"template": {"spec": {"parallelism": 90_000, "completions": 90_000}}}]}),
        ("pytorchjob", {"pytorchReplicaSpecs": {"Worker": role(90_000)}, "elasticPolicy": {"maxReplicas": 100_000}}),
        ("mpijob", {"mpiReplicaSpecs": {"Launcher": role(1), "Worker": role(100_000)}}),
    ],
)
def test_what_is_no_other_pod_does_not_count(name: str, spec: Role) -> None:
    assert excess(manifest(name, spec)) is None


def test_an_autoscaler_and_a_runtime_count_for_their_job_alone() -> None:
    owner = manifest("statefulset", role(1))
    target = {"kind": "StatefulSet", "name": "big"}
    scaler: Role = {"kind": "HorizontalPodAutoscaler", "spec": {"scaleTargetRef": target, "maxReplicas": BILLION}}
    assert excess(scaler, owner) is not None
    assert excess({**scaler, "spec": {**scaler["spec"], "scaleTargetRef": {**target, "name": "b"}}}, owner) is None
    runtime = {"kind": "ClusterTrainingRuntime", "spec": {"mlPolicy": {"numNodes": BILLION}}}
    assert excess(runtime, manifest("trainjob", {})) is not None
    assert excess(runtime, owner) is None
