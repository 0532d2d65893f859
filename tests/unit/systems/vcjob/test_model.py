"""Objects that Volcano creates for a Job: values worked out by hand from the source of Volcano 1.15.1.

https://github.com/volcano-sh/volcano/tree/v1.15.1: pkg/controllers/job and pkg/webhooks/admission/jobs
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.systems.vcjob.model import failure_cases, operator_output
from trainc.systems.vcjob.model.validation import validation_errors

Object = dict[str, Any]
POD: Object = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i:1"}]}}


def task(name: str, replicas: int, **fields: Any) -> Object:
    return {"name": name, "replicas": replicas, "template": POD, **fields}


def job(*tasks: Object, name: str = "mnist", **spec: Any) -> Object:
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"tasks": list(tasks) or [task("worker", 2)], **spec},
    }


def created(resource: Object, kind: str) -> list[Object]:
    return [each for each in operator_output(resource, []).objects if each["kind"] == kind]


def variables(pod: Object) -> dict[str, Any]:
    env = pod["spec"]["containers"][0].get("env", [])
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in env}


def effects(resource: Object) -> dict[str, str]:
    return {case.trigger: case.effect for case in failure_cases(resource, [], [])}


def test_pods_have_the_names_labels_and_group_of_the_controller() -> None:
    pod = created(job(), "Pod")[1]
    assert pod["metadata"]["name"] == "mnist-worker-1"
    assert pod["metadata"]["labels"] == {
        "volcano.sh/task-index": "1",
        "volcano.sh/job-name": "mnist",
        "volcano.sh/task-spec": "worker",
        "volcano.sh/job-namespace": "ml",
        "volcano.sh/queue-name": "default",
    }
    assert pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] == "mnist-‹uid of Job/mnist›"
    assert pod["spec"]["schedulerName"] == "volcano"
    assert {"hostname", "subdomain"}.isdisjoint(pod["spec"])


def test_svc_gives_names_and_lists_them_in_a_config_map() -> None:
    resource = job(task("data-loader", 1), task("worker", 2), plugins={"svc": []})
    pod = created(resource, "Pod")[-1]
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("mnist-worker-1", "mnist")
    assert variables(pod)["VC_DATA_LOADER_HOSTS"] == {
        "configMapKeyRef": {"name": "mnist-svc", "key": "VC_DATA_LOADER_HOSTS"}
    }
    assert created(resource, "ConfigMap")[0]["data"] == {
        "data_loader.host": "mnist-data-loader-0.mnist",
        "VC_DATA_LOADER_HOSTS": "mnist-data-loader-0.mnist",
        "VC_DATA_LOADER_NUM": "1",
        "worker.host": "mnist-worker-0.mnist\nmnist-worker-1.mnist",
        "VC_WORKER_HOSTS": "mnist-worker-0.mnist,mnist-worker-1.mnist",
        "VC_WORKER_NUM": "2",
    }
    (service,) = created(resource, "Service")
    assert service["spec"] == {
        "clusterIP": "None",
        "selector": {"volcano.sh/job-name": "mnist", "volcano.sh/job-namespace": "ml"},
        "ports": [],
        "publishNotReadyAddresses": False,
    }
    assert len(created(resource, "NetworkPolicy")) == 1


@pytest.mark.parametrize("arguments", [["--disable-network-policy"], ["-disable-network-policy=true"]])
def test_arguments_of_plugins_are_those_of_gos_package_flag(arguments: list[str]) -> None:
    assert created(job(plugins={"svc": arguments}), "NetworkPolicy") == []


def test_pytorch_counts_pods_and_overrides_variables() -> None:
    resource = job(task("worker", 2), task("master", 1), plugins={"pytorch": ["--port=2222"]})
    pods = created(resource, "Pod")
    assert [pod["metadata"]["name"] for pod in pods] == ["mnist-master-0", "mnist-worker-0", "mnist-worker-1"]
    assert [(variables(pod)["RANK"], variables(pod)["WORLD_SIZE"]) for pod in pods] == [
        ("0", "3"),
        ("1", "3"),
        ("2", "3"),
    ]
    assert (variables(pods[2])["MASTER_ADDR"], variables(pods[2])["MASTER_PORT"]) == ("mnist-master-0.mnist", "2222")
    assert len(created(resource, "Service")) == 1  # the webhook adds svc


def test_env_sets_the_index_in_the_task_in_all_containers() -> None:
    pod = created(job(plugins={"env": []}), "Pod")[1]
    assert variables(pod) == {"VK_TASK_INDEX": "1", "VC_TASK_INDEX": "1"}


@pytest.mark.parametrize(
    ("spec", "minimum", "by_task"),
    [
        ({}, 5, {"master": 1, "worker": 4}),
        ({"minAvailable": 3}, 3, {"master": 1, "worker": 4}),
        ({"tasks": [task("worker", 4, minAvailable=2)]}, 2, {"worker": 2}),
    ],
)
def test_the_group_has_the_webhooks_defaults(spec: Object, minimum: int, by_task: dict[str, int]) -> None:
    (group,) = created(job(task("master", 1), task("worker", 4), **spec), "PodGroup")
    assert (group["spec"]["minMember"], group["spec"]["minTaskMember"]) == (minimum, by_task)


@pytest.mark.parametrize(
    ("resource", "path", "words"),
    [
        (job(task("a", 1), task("a", 1)), ("spec", "tasks", 1, "name"), "two tasks"),
        (job(task("a", 1, minAvailable=2)), ("spec", "tasks", 0, "minAvailable"), "1 replicas"),
        (job(minAvailable=3), ("spec", "minAvailable"), "2 replicas"),
        (job(plugins={"svcs": []}), ("spec", "plugins", "svcs"), "no plugin"),
        (job(plugins={"mpi": []}), ("spec", "plugins", "mpi"), "master"),
        (job(policies=[{"event": "PodRunning", "action": "RestartJob"}]), ("spec", "policies", 0, "event"), "event"),
        (job(policies=[{"event": "PodFailed", "action": "Restart"}]), ("spec", "policies", 0, "action"), "action"),
        (job(policies=[{"exitCode": 0, "action": "AbortJob"}]), ("spec", "policies", 0, "exitCode"), "success"),
        (job(policies=[{"action": "AbortJob"}]), ("spec", "policies", 0), "event or an exitCode"),
        (
            job(policies=[{"event": "*", "action": "AbortJob"}, {"event": "PodFailed", "action": "AbortJob"}]),
            ("spec", "policies"),
            "no other",
        ),
        (job(volumes=[{"mountPath": "/a"}]), ("spec", "volumes", 0), "volumeClaimName"),
        (
            job(networkTopology={"highestTierAllowed": 1, "highestTierName": "a"}),
            ("spec", "networkTopology"),
            "exclude",
        ),
        (job(task("a", 4, partitionPolicy={"totalPartitions": 2, "partitionSize": 1})), ("spec", "tasks", 0), "4"),
        (job(name="1st", plugins={"svc": []}), ("metadata", "name"), "Service"),
        (job(name="m" * 60), ("metadata", "name"), "too long"),
    ],
)
def test_what_the_webhook_rejects(resource: Object, path: tuple[str | int, ...], words: str) -> None:
    (error,) = validation_errors(resource)
    assert error.path[: len(path)] == path
    assert words in error.message
    assert operator_output(resource, []).objects == ()


@pytest.mark.parametrize("spec", [{"tasks": None}, {"tasks": [{}], "plugins": {"svc": [1]}}, {"policies": {}}])
def test_wrong_types_are_no_exception(spec: Object) -> None:
    resource = job(**spec)
    validation_errors(resource)
    operator_output(resource, [])
    effects(resource)


def test_without_policies_a_failed_pod_stays_and_a_deleted_one_returns() -> None:
    cases = effects(job())
    assert cases["a worker fails"].startswith("the pod stays failed; the others run on")
    assert cases["node drain, preemption or eviction"] == "the pod is created again under the same name"
    assert cases["all workers have succeeded"] == "the Job has completed"


def test_restarts_end_one_before_max_retry() -> None:
    policies = [{"exitCode": 3, "action": "TerminateJob"}, {"event": "PodFailed", "action": "RestartJob"}]
    cases = effects(job(policies=policies))
    assert cases["a worker fails"] == "all pods are created anew, up to twice; then the Job fails"
    assert cases["a worker exits with 3"] == "the Job is terminated and its running pods are deleted"


def test_policies_of_a_task_precede_those_of_the_job() -> None:
    own = [{"event": "TaskCompleted", "action": "CompleteJob"}, {"event": "PodFailed", "action": "AbortJob"}]
    cases = effects(job(task("master", 1, policies=own), policies=[{"event": "*", "action": "RestartJob"}]))
    assert "vcctl job resume" in cases["a pod of task master fails"]
    assert "all pods are created anew" in cases["a pod of task master is evicted"]
    assert cases["all pods of task master have succeeded"].startswith("the Job has completed")


def test_the_default_restart_policy_never_completes() -> None:
    pod = {"spec": {"containers": [{"name": "main", "image": "i:1"}]}}
    cases = effects(job({"name": "worker", "replicas": 2, "template": pod}))
    assert "never completes" in cases["a worker has succeeded"]
