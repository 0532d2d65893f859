"""Failures that trainc leaves to the controllers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.cluster import wait
from tests.cluster.jobs import TORCHRUN, ClusterJob, exit_programs, names
from tests.cluster.kubelet import Kubelet

pytestmark = pytest.mark.usefixtures("nodes")


def start(api: Api, namespace: str, backend: str = "job", **spec: Any) -> tuple[ClusterJob, list[Object]]:
    """Start a job of two workers; return it and its pods."""
    job = ClusterJob(api, namespace, backend)
    job.apply(**{"workers": 2, "launch": TORCHRUN, **spec})
    return job, job.wait_for("Running", 2)


def replacement_of(job: ClusterJob, old: Object, seconds: float = 60) -> Object:
    """Wait for the running replacement of a pod, with the same hostname."""

    def replacement() -> Object | None:
        pods = [pod for pod in job.pods() if pod["spec"]["hostname"] == old["spec"]["hostname"]]
        others = [pod for pod in pods if pod["metadata"]["uid"] != old["metadata"]["uid"]]
        return next((pod for pod in others if pod["status"]["phase"] == "Running"), None)

    return wait(f"replacement of {old['metadata']['name']}", replacement, seconds)


def evict(api: Api, pod: Object) -> None:
    """Evict a pod like `kubectl drain`."""
    metadata = {"name": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"]}
    path = api.of_kind("Pod").path(metadata["namespace"], metadata["name"])
    api.call("POST", f"{path}/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata})


def test_a_failed_worker_is_replaced_under_its_hostname_and_the_others_stay(
    api: Api, nodes: Kubelet, namespace: str
) -> None:
    job, (first, second) = start(api, namespace)
    nodes.exit(second, 1)
    replacement = replacement_of(job, second)
    assert replacement["metadata"]["name"] != second["metadata"]["name"]
    assert names(job.pods()).count(first["metadata"]["name"]) == 1
    assert "conditions" not in job.job()["status"]


def test_a_job_fails_when_a_worker_exceeds_its_backoff_limit(api: Api, nodes: Kubelet, namespace: str) -> None:
    job, (_, second) = start(api, namespace, lifecycle={"backoffLimitPerIndex": 1})
    nodes.exit(second, 1)
    nodes.exit(replacement_of(job, second), 1)
    assert job.wait_for_condition("Failed")["reason"] == "MaxFailedIndexesExceeded"
    assert job.job()["status"]["failedIndexes"] == "1"
    wait("end of the others", lambda: not [phase for phase in job.phases() if phase == "Running"])


def test_backoff_limit_counts_the_failures_of_all_workers(api: Api, nodes: Kubelet, namespace: str) -> None:
    job, pods = start(api, namespace, lifecycle={"backoffLimit": 1})
    exit_programs(nodes, pods, 1)
    assert job.wait_for_condition("Failed")["reason"] == "BackoffLimitExceeded"


def test_a_fatal_exit_code_fails_the_job(api: Api, nodes: Kubelet, namespace: str) -> None:
    job, (_, second) = start(api, namespace, launch={"basic": {}}, lifecycle={"exitCodes": {"fatal": [2, 126]}})
    nodes.exit(second, 126)
    assert job.wait_for_condition("Failed")["reason"] == "PodFailurePolicy"


@pytest.mark.parametrize(("code", "ends"), [(1, True), (137, False)])
def test_with_retryable_signals_other_failures_fail_the_job(
    api: Api, nodes: Kubelet, namespace: str, code: int, ends: bool
) -> None:
    job, (_, second) = start(api, namespace, launch={"basic": {}}, lifecycle={"exitCodes": {"retryable": "signals"}})
    nodes.exit(second, code)
    if ends:
        assert job.wait_for_condition("Failed")["reason"] == "PodFailurePolicy"
    else:
        replacement_of(job, second)


def test_a_drained_worker_is_replaced_and_does_not_count_as_failed(api: Api, namespace: str) -> None:
    job, (_, second) = start(api, namespace, lifecycle={"backoffLimitPerIndex": 0})
    evict(api, second)
    replacement_of(job, second)
    assert "conditions" not in job.job()["status"]


def test_a_preempted_worker_is_replaced_and_does_not_count_as_failed(api: Api, namespace: str) -> None:
    node = {"cpu": 1, "memory": "1Gi", "gpu": 8}
    job, pods = start(api, namespace, resources=node, lifecycle={"backoffLimitPerIndex": 0})
    urgent = ClusterJob(api, namespace, "pods", "urgent")
    urgent.apply(workers=4, resources=node, scheduling={"priorityClassName": "training-high"})
    urgent.wait_for("Running", 4)
    wait("two pending pods", lambda: job.phases() == ["Pending", "Pending"])
    api.delete("Pod", namespace, selector="trainc.dev/job=urgent")
    job.wait_for("Running", 2)
    assert not set(names(job.pods())) & set(names(pods))
    assert "conditions" not in job.job()["status"]


def test_a_drained_bare_pod_is_not_recreated(api: Api, namespace: str) -> None:
    _, (first, second) = start(api, namespace, "pods")
    evict(api, second)
    wait("end of the pod", lambda: names(api.find("Pod", namespace)) == names([first]))


def test_a_drained_pod_of_a_statefulset_is_recreated(api: Api, namespace: str) -> None:
    job, (_, second) = start(api, namespace, "statefulset")
    evict(api, second)
    assert replacement_of(job, second)["metadata"]["name"] == second["metadata"]["name"]


def test_a_deadline_fails_the_job_and_deletes_its_pods(api: Api, namespace: str) -> None:
    job, _ = start(api, namespace, lifecycle={"activeDeadlineSeconds": 4})
    assert job.wait_for_condition("Failed")["reason"] == "DeadlineExceeded"
    wait("end of the pods", lambda: "Running" not in job.phases())
