"""PyTorchJobs of ctyun.cn/v1, a fork of the training operator 1.5.

Expected variables are those of setPodEnv and of ElasticEnvVarGenerator in
https://github.com/kubeflow/training-operator/tree/v1.5.0/pkg/controller.v1/pytorch, with the fork's documented
PET_N_PROC_PER_NODE.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects
from tests.unit.systems.pytorchjob.test_reader import PLAIN, both, job, translate_and_judge, worker
from trainc.plan.models import native_objects
from trainc.target import Target, parse_target

VERSION = "ctyun.cn/v1"
ELASTIC = "elasticPolicy: {minReplicas: 1, maxReplicas: 3, maxRestarts: 100, nProcPerNode: 4}"


def read(text: str) -> tuple[dict[str, Any], list[str]]:
    """Return the spec, and the faults of the job in its own system."""
    spec, _, faults = translate_and_judge(text.replace("kubeflow.org/v1", VERSION))
    return spec, [fault.message for fault in faults]


def environments(resource: dict[str, Any]) -> list[dict[str, str]]:
    pods = [each for each in native_objects([resource]) if each["kind"] == "Pod"]
    containers = [pod["spec"]["containers"][0] for pod in pods]
    return [{each["name"]: each.get("value", "") for each in container["env"]} for container in containers]


def written(**spec: Any) -> dict[str, Any]:
    target = parse_target("pytorchjob", None, None, None, [f"pytorchjob={VERSION}"])
    return compile_objects("pytorchjob", target=target, **spec)[-1]


def test_one_process_per_pod_unless_torchrun_has_the_option() -> None:
    spec, faults = read(job(worker("resources: {limits: {nvidia.com/gpu: 8}}, command: [torchrun, x.py]"), ELASTIC))
    assert spec["launch"]["torchrun"]["nprocPerNode"] == 1
    assert any("PET_N_PROC_PER_NODE, which torchrun does not read" in fault for fault in faults)
    spec, _ = read(job(worker("command: [torchrun, --nproc_per_node=4, x.py]"), ELASTIC))
    assert spec["launch"]["torchrun"]["nprocPerNode"] == 4


def test_without_a_policy_torchrun_gets_no_number_of_nodes() -> None:
    _, faults = read(job(worker()))
    assert "torchrun has no --nnodes: each of the 2 workers trains alone" in faults
    _, faults = read(job(worker("command: [torchrun, --nnodes=2, x.py]")))
    assert not [fault for fault in faults if "--nnodes" in fault]


@pytest.mark.parametrize(("nodes", "is_world"), [("2", True), ("3", False)])
def test_without_a_policy_the_operator_leaves_the_pods_own_number_of_nodes(nodes: str, is_world: bool) -> None:
    env = f"env: [{{name: PET_NNODES, value: '{nodes}'}}, {{name: PET_RDZV_BACKEND, value: c10d}}, "
    spec, faults = read(
        job(worker(env + "{name: PET_RDZV_ENDPOINT, value: 'j-worker-0:29400'}], command: [torchrun, x.py]"))
    )
    assert "PET_NNODES" not in (spec.get("env") or {}) if is_world else spec["env"] == {"PET_NNODES": nodes}
    assert not [fault for fault in faults if "--nnodes" in fault]


def test_variables_of_an_elastic_job() -> None:
    policy = {"minReplicas": 1, "maxReplicas": 3, "rdzvBackend": "c10d", "maxRestarts": 100, "nProcPerNode": 4}
    container = {"name": "pytorch", "image": "train:1", "command": ["torchrun", "train.py"]}
    resource = {
        "apiVersion": VERSION,
        "kind": "PyTorchJob",
        "metadata": {"name": "elastic-example"},
        "spec": {
            "elasticPolicy": policy,
            "pytorchReplicaSpecs": {"Worker": {"replicas": 2, "template": {"spec": {"containers": [container]}}}},
        },
    }
    first = {
        "PYTHONUNBUFFERED": "0",
        "PET_RDZV_ENDPOINT": "elastic-example-worker-0:23456",
        "PET_RDZV_BACKEND": "c10d",
        "PET_NNODES": "1:3",
        "PET_MAX_RESTARTS": "100",
        "PET_N_PROC_PER_NODE": "4",
    }
    assert environments(resource) == [first, first]


def test_variables_with_a_master() -> None:
    container = {"name": "pytorch", "image": "train:1", "command": ["python3", "train.py"]}
    role = {"template": {"spec": {"containers": [container]}}}
    resource = {
        "apiVersion": VERSION,
        "kind": "PyTorchJob",
        "metadata": {"name": "j"},
        "spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1, **role}, "Worker": {"replicas": 2, **role}}},
    }
    common = {"PYTHONUNBUFFERED": "0", "MASTER_PORT": "23456", "MASTER_ADDR": "j-master-0", "WORLD_SIZE": "3"}
    assert environments(resource) == [{**common, "RANK": str(rank)} for rank in range(3)]


def test_written_jobs_set_what_the_operator_does_not() -> None:
    resource = written(launch={"torchrun": {"nprocPerNode": 2}}, workers=2)
    assert (resource["apiVersion"], "nprocPerNode" in resource["spec"]) == (VERSION, False)
    for env in environments(resource):
        assert (env["PET_NNODES"], env["PET_NPROC_PER_NODE"]) == ("2", "2")
        assert env["PET_RDZV_ENDPOINT"] == "mnist-worker-0:29400"
    elastic = written(launch={"torchrun": {}}, workers=2, elastic={"minReplicas": 1, "maxReplicas": 4, "metrics": []})
    container = elastic["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    names = [variable["name"] for variable in container["env"]]
    assert "PET_NPROC_PER_NODE" in names
    assert "PET_NNODES" not in names


def test_the_target_of_an_existing_job_has_its_api_version() -> None:
    traits = Target(backend="pytorchjob").system
    assert Target().for_resource(traits, VERSION).controller_version == VERSION
    assert Target().for_resource(traits, "kubeflow.org/v1").controller_version == "kubeflow.org/v1"
    assert Target().for_resource(traits, "kubeflow.org/v2").controller_version == "kubeflow.org/v1"


@pytest.mark.parametrize("command", [PLAIN, "command: [python, x.py, --rank, $(RANK)]"])
def test_programs_next_to_a_master_read_the_same_variables(command: str) -> None:
    text = job(both(command))
    assert read(text)[0] == translate_and_judge(text)[0]
