"""Pods that the training operator creates for a PyTorchJob have the same environment as bare Pods."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import trainc
from tests.support.build import compile_objects
from tests.support.examples import EXAMPLES, NEIGHBOR, accepted, example_jobs
from tests.support.operator_pods import env_and_arguments, operator_pods, rename_hosts
from trainc.target import Target

Object = dict[str, Any]
# Variables that only the operator sets; programs without torchrun don't use `auto` and node ranks.
OPERATOR_VARIABLES = {
    "PYTHONUNBUFFERED",
    "PET_NNODES",
    "PET_NPROC_PER_NODE",
    "RANK",
    "WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
}
OPERATOR_VARIABLES |= {"PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NODE_RANK"}
# accelerate has options for these, whose values replace the elastic policy's.
OVERRIDDEN = {"PET_RDZV_BACKEND", "PET_RDZV_CONF", "PET_MAX_RESTARTS"}


ACCEPTED = [example for example in EXAMPLES if accepted(example, "pytorchjob")]


def compile_job(**spec: Any) -> Object:
    """Return the PyTorchJob of a job named mnist."""
    return compile_objects("pytorchjob", target=Target(backend="pytorchjob"), **spec)[-1]


def restarts(**lifecycle: Any) -> tuple[str | None, int | None]:
    spec = compile_job(workers=2, lifecycle=lifecycle)["spec"]
    return spec["pytorchReplicaSpecs"]["Worker"].get("restartPolicy"), spec["runPolicy"].get("backoffLimit")


def objects(text: str, backend: str, version: str = "kubeflow.org/v1") -> list[Object]:
    return trainc.compile(text, filename=NEIGHBOR, backend=backend, versions={"pytorchjob": version}).objects()


@pytest.mark.sample(25)
@pytest.mark.parametrize("version", ["kubeflow.org/v1", "ctyun.cn/v1"])
@pytest.mark.parametrize("text", [text for example in ACCEPTED for text in example_jobs(example)])
def test_each_pod_has_the_environment_of_a_bare_pod(text: str, version: str) -> None:
    bare_pods = [resource for resource in objects(text, "pods") if resource["kind"] == "Pod"]
    refused = {"mode": "TC4026", "successPolicy: Leader": "TC4001"} if version == "ctyun.cn/v1" else {}
    result = trainc.compile(text, filename=NEIGHBOR, backend="pytorchjob", versions={"pytorchjob": version})
    if not result.ok:
        errors = {each.code.id for each in result.diagnostics if each.severity == "error"}
        assert errors & {code for field, code in refused.items() if field in text}
        return
    (job,) = [each for each in objects(text, "pytorchjob", version) if each["kind"] == "PyTorchJob"]
    created_pods = operator_pods(job)
    if not bare_pods:
        assert job["spec"]["runPolicy"]["suspend"] is True
        return
    if "workers:" in text or "metrics" not in text:  # an autoscaler starts with its minimum
        assert len(created_pods) == len(bare_pods)
    pairs = list(zip(created_pods, bare_pods, strict=False))
    hosts = {created["metadata"]["name"]: bare["metadata"]["name"] for created, bare in pairs}
    for created, bare in pairs:
        (container,) = [item for item in created["spec"]["containers"] if item["name"] == "pytorch"]
        (bare_container,) = [item for item in bare["spec"]["containers"] if item["name"] == "main"]
        env, arguments = env_and_arguments(created, container)
        expected, expected_arguments = env_and_arguments(bare, bare_container)
        if "Master" in job["spec"]["pytorchReplicaSpecs"]:
            expected.pop("NODE_RANK", None)  # used only in arguments
        renamed = [rename_hosts(argument, hosts) for argument in arguments]
        assert renamed == [rename_hosts(argument, {}) for argument in expected_arguments]
        if "PET_MAX_RESTARTS" in expected and "maxRestarts" not in text:
            expected["PET_MAX_RESTARTS"] = "288"  # the default if scaling down costs restarts
        # References to the container's resources contain its name.
        references = {name: value.replace("'pytorch'", "'main'") for name, value in env.items() if "FieldRef" in value}
        variables = {**env, **references}
        assert {name: rename_hosts(value, hosts) for name, value in variables.items() if name in expected} == expected
        allowed = OPERATOR_VARIABLES | (OVERRIDDEN if "accelerate" in text else set())
        assert set(env) - set(expected) <= allowed
        for field in ("image", "resources", "volumeMounts", "workingDir", "securityContext", "envFrom"):
            assert container.get(field) == bare_container.get(field)
        assert created["spec"].get("volumes") == bare["spec"].get("volumes")


@pytest.mark.parametrize("example", ACCEPTED)
def test_variables_of_the_operator_are_not_repeated(example: str) -> None:
    for text in example_jobs(example):
        job = objects(text, "pytorchjob")[-1]
        for pod in operator_pods(job):
            for container in pod["spec"]["containers"]:
                names = [variable["name"] for variable in container["env"]]
                assert sorted(set(names)) == sorted(names)


def test_fixed_size_has_no_elastic_policy() -> None:
    spec = compile_job(launch={"torchrun": {}}, workers=2)["spec"]
    assert "elasticPolicy" not in spec
    assert list(spec["pytorchReplicaSpecs"]) == ["Worker"]


def test_worker_0_is_the_master_if_it_decides_success() -> None:
    spec = compile_job(workers=3, lifecycle={"successPolicy": "Leader"})["spec"]
    assert {role: fields["replicas"] for role, fields in spec["pytorchReplicaSpecs"].items()} == {
        "Master": 1,
        "Worker": 2,
    }
    single = compile_job(workers=1, lifecycle={"successPolicy": "Leader"})["spec"]
    assert list(single["pytorchReplicaSpecs"]) == ["Worker"]


def test_arguments_refer_to_the_operators_rank_with_a_master() -> None:
    job = compile_job(
        workers=3,
        lifecycle={"successPolicy": "Leader"},
        launch={"basic": {"nprocPerNode": 2}},
    )
    ranks = [env_and_arguments(pod, pod["spec"]["containers"][0])[1][5] for pod in operator_pods(job)]
    assert ranks == ["0", "1", "2"]
    sizes = {env_and_arguments(pod, pod["spec"]["containers"][0])[0]["WORLD_SIZE"] for pod in operator_pods(job)}
    assert sizes == {"6"}


def test_pod_template_patches_the_container_of_each_role() -> None:
    patch = {"spec": {"containers": [{"name": "main", "tty": True}], "hostPID": True}}
    roles = compile_job(workers=2, lifecycle={"successPolicy": "Leader"}, podTemplate=patch)["spec"][
        "pytorchReplicaSpecs"
    ]
    for role in ("Master", "Worker"):
        spec = roles[role]["template"]["spec"]
        assert [container["name"] for container in spec["containers"]] == ["pytorch"]
        assert (spec["containers"][0]["tty"], spec["hostPID"]) == (True, True)


def test_metrics_use_the_operators_container_name() -> None:
    metric: Object = {
        "type": "ContainerResource",
        "containerResource": {
            "name": "cpu",
            "container": "main",
            "target": {"type": "Utilization", "averageUtilization": 50},
        },
    }
    elastic = {"minReplicas": 1, "maxReplicas": 2, "metrics": [metric]}
    policy = compile_job(launch={"torchrun": {}}, elastic=elastic)["spec"]["elasticPolicy"]
    assert policy["metrics"][0]["containerResource"]["container"] == "pytorch"


@pytest.mark.parametrize(
    ("spec", "replicas", "scaled"),
    [
        # Without an autoscaler a smaller number would never change.
        ({}, 4, False),
        ({"workers": 2}, 2, False),
        ({"metrics": []}, 4, False),
        ({"metrics": [{"type": "External"}]}, 1, True),
        ({"metrics": [{"type": "External"}], "workers": 3}, 3, True),
    ],
)
def test_elastic_job_starts_with_the_maximum_by_default(spec: Object, replicas: int, scaled: bool) -> None:
    elastic = {"minReplicas": 1, "maxReplicas": 4, **{name: spec[name] for name in spec if name == "metrics"}}
    workers = {name: spec[name] for name in spec if name == "workers"}
    if scaled:
        target = {"type": "AverageValue", "averageValue": "1"}
        elastic["metrics"] = [{"type": "External", "external": {"metric": {"name": "a"}, "target": target}}]
    fields = compile_job(launch={"torchrun": {}}, elastic=elastic, **workers)["spec"]
    assert fields["pytorchReplicaSpecs"]["Worker"]["replicas"] == replicas
    assert ("metrics" in fields["elasticPolicy"]) is scaled


@pytest.mark.parametrize(
    ("lifecycle", "policy", "limit"),
    [
        # PastBackoffLimit counts restarts in pods, so three for each worker.
        ({}, None, 6),
        ({"backoffLimit": 9}, None, 9),
        ({"backoffLimitPerIndex": 9}, None, 6),
        ({"backoffLimit": 0}, "Never", None),
        ({"restartPolicy": "OnFailure", "backoffLimit": 0}, None, 0),
        ({"restartPolicy": "Never"}, "Never", None),
        # IsRetryableExitCode: 128 and above.
        ({"exitCodes": {"retryable": "signals"}}, "ExitCode", None),
        ({"exitCodes": {"retryable": "signals"}, "restartPolicy": "Never"}, "ExitCode", None),
        ({"exitCodes": {"fatal": [3]}}, None, 6),
    ],
)
def test_restart_policies_and_backoff_limits(lifecycle: Object, policy: str | None, limit: int | None) -> None:
    assert restarts(**lifecycle) == (policy, limit)


def test_job_without_retries_never_restarts() -> None:
    job = compile_job(shareFile={"directory": "/data"}, workers=2)
    assert job["spec"]["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] == "Never"


@pytest.mark.parametrize(
    ("clean_pod_policy", "policy"),
    [(None, "Running"), ("Running", "Running"), ("Unfinished", "Running"), ("All", "All"), ("None", "None")],
)
def test_running_pods_are_deleted_by_default(clean_pod_policy: str | None, policy: str) -> None:
    lifecycle = {} if clean_pod_policy is None else {"cleanPodPolicy": clean_pod_policy}
    assert compile_job(lifecycle=lifecycle)["spec"]["runPolicy"]["cleanPodPolicy"] == policy


def test_deadline_and_ttl_are_in_the_run_policy() -> None:
    spec = compile_job(lifecycle={"activeDeadlineSeconds": 5, "ttlSecondsAfterFinished": 0})["spec"]
    assert (spec["runPolicy"]["activeDeadlineSeconds"], spec["runPolicy"]["ttlSecondsAfterFinished"]) == (5, 0)
    # Without a pod's deadline nothing makes the operator check the job's.
    assert spec["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["activeDeadlineSeconds"] == 5


def test_a_paused_job_is_suspended() -> None:
    assert compile_job(mode="paused")["spec"]["runPolicy"]["suspend"] is True
    assert "suspend" not in compile_job()["spec"]["runPolicy"]


@pytest.mark.parametrize("gang", ["volcano", "coscheduling"])
def test_operator_creates_the_gang_from_the_scheduling_policy(gang: str) -> None:
    resources = compile_objects("pytorchjob", workers=3, scheduling={"gang": gang, "priorityClassName": "high"})
    (job,) = resources
    policy = {"minAvailable": 3, **({"priorityClass": "high"} if gang == "volcano" else {})}
    assert job["spec"]["runPolicy"]["schedulingPolicy"] == policy
    template = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    assert not {"annotations"} & set(template["metadata"])
    assert not [label for label in template["metadata"]["labels"] if label.startswith("scheduling")]
    assert "schedulerName" not in template["spec"]


def test_gang_of_an_elastic_job_has_the_minimum_and_the_queue() -> None:
    elastic = {"minReplicas": 2, "maxReplicas": 4}
    job = compile_job(launch={"torchrun": {}}, elastic=elastic, scheduling={"gang": {"volcano": {"queue": "a"}}})
    assert job["spec"]["runPolicy"]["schedulingPolicy"] == {"minAvailable": 2, "queue": "a"}


def test_single_worker_sets_standalone_to_a_number() -> None:
    job = compile_job(launch={"torchrun": {}})
    env, _ = env_and_arguments(operator_pods(job)[0], operator_pods(job)[0]["spec"]["containers"][0])
    assert env["PET_STANDALONE"] == "1"
    assert "elasticPolicy" not in job["spec"]


def test_hostfile_has_the_names_of_the_operators_services() -> None:
    launch = {"deepspeed": {"transport": "ssh", "slotsPerWorker": 2}}
    resources = compile_objects("pytorchjob", target=Target(backend="pytorchjob"), launch=launch, workers=2)
    (files,) = [resource for resource in resources if resource["kind"] == "ConfigMap"]
    assert files["data"]["hostfile"] == "mnist-worker-0 slots=2\nmnist-worker-1 slots=2\n"


def test_world_size_includes_the_master() -> None:
    job = compile_job(workers=2, lifecycle={"successPolicy": "Leader"}, launch={"deepspeed": {"slotsPerWorker": 2}})
    (container,) = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"]
    (info,) = [argument for argument in container["args"] if argument.startswith("--world_info=")]
    hosts = json.loads(base64.urlsafe_b64decode(info.partition("=")[2]))
    assert hosts == {"mnist-master-0": [0, 1], "mnist-worker-0": [0, 1]}
