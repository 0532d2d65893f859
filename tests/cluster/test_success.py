"""Completion of a job, and the remaining objects."""

from __future__ import annotations

import pytest

from tests.cluster.api import Api, ApiError, Object
from tests.cluster.cluster import wait
from tests.cluster.jobs import ELASTIC, SMALL, TORCHRUN, ClusterJob, exit_programs, worker_index
from tests.cluster.kubelet import Kubelet

pytestmark = pytest.mark.usefixtures("nodes")


def test_a_fixed_size_job_completes_with_its_last_worker_and_keeps_its_pods(
    api: Api, nodes: Kubelet, namespace: str
) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=3, launch=TORCHRUN)
    pods = job.wait_for("Running", 3)
    exit_programs(nodes, pods[:2])
    job.wait_for("Succeeded", 2)
    assert "conditions" not in job.job()["status"]
    exit_programs(nodes, pods[2:])
    assert job.wait_for_condition("Complete")
    assert job.phases() == ["Succeeded"] * 3


def test_a_leader_success_policy_completes_the_job_with_worker_0(api: Api, nodes: Kubelet, namespace: str) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=3, launch=TORCHRUN, lifecycle={"successPolicy": "Leader"})
    pods = job.wait_for("Running", 3)
    nodes.exit(pods[2], 0)
    job.wait_for("Succeeded", 1)
    assert "conditions" not in job.job()["status"]
    nodes.exit(pods[0], 0)
    assert job.wait_for_condition("Complete")["reason"] == "SuccessPolicy"
    wait("end of worker 1", lambda: "Running" not in job.phases())


def test_an_elastic_job_runs_with_the_pods_that_fit_and_ends_with_worker_0(
    api: Api, nodes: Kubelet, namespace: str
) -> None:
    job = ClusterJob(api, namespace, "job")
    elastic = {"minReplicas": 2, "maxReplicas": 6}
    job.apply(launch=TORCHRUN, elastic=elastic, resources={"cpu": 1, "memory": "1Gi", "gpu": 8})
    pods = job.wait_for("Running", 4)  # four nodes with eight GPUs each
    assert job.phases().count("Pending") == 2
    first = next((pod for pod in pods if worker_index(pod) == 0), None)
    if first is None:  # the scheduler may choose other pods first
        uid = job.pods()[0]["metadata"]["uid"]
        api.delete("Pod", namespace, pods[0]["metadata"]["name"])
        first = wait("worker 0", lambda: running_pod(job, uid))
    nodes.exit(first, 0)
    assert job.wait_for_condition("Complete")["reason"] == "SuccessPolicy"
    wait("end of the others", lambda: not set(job.phases()) & {"Running", "Pending"})


def running_pod(job: ClusterJob, uid: str) -> Object | None:
    pods = [pod for pod in job.pods() if pod["metadata"]["uid"] == uid]
    return next((pod for pod in pods if pod["status"]["phase"] == "Running"), None)


def test_a_finished_job_is_deleted_after_its_ttl(api: Api, nodes: Kubelet, namespace: str) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=2, launch=TORCHRUN, lifecycle={"ttlSecondsAfterFinished": 3})
    exit_programs(nodes, job.wait_for("Running", 2))
    assert job.wait_for_condition("Complete")
    wait("end of the Job", lambda: not api.find("Job", namespace) and not job.pods())


@pytest.mark.parametrize("code", [0, 1])
def test_with_clean_pod_policy_all_the_job_and_its_pods_are_deleted(
    api: Api, nodes: Kubelet, namespace: str, code: int
) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=2, launch=TORCHRUN, lifecycle={"cleanPodPolicy": "All", "backoffLimit": 0})
    exit_programs(nodes, job.wait_for("Running", 2), code)
    wait("end of the Job", lambda: not api.find("Job", namespace) and not api.find("Pod", namespace))


@pytest.mark.parametrize("policy", ["Running", "None"])
def test_kubernetes_deletes_running_pods_and_keeps_finished_ones_with_every_policy(
    api: Api, nodes: Kubelet, namespace: str, policy: str
) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=3, launch=TORCHRUN, lifecycle={"cleanPodPolicy": policy, "successPolicy": "Leader"})
    pods = job.wait_for("Running", 3)
    exit_programs(nodes, [pods[1], pods[0]])
    assert job.wait_for_condition("Complete")
    wait("end of worker 2", lambda: "Running" not in job.phases())
    assert [worker_index(pod) for pod in job.pods() if pod["status"]["phase"] == "Succeeded"] == [0, 1]


def test_bare_pods_succeed_independently_and_stay(api: Api, nodes: Kubelet, namespace: str) -> None:
    job = ClusterJob(api, namespace, "pods")
    job.apply(workers=2, launch=TORCHRUN)
    exit_programs(nodes, job.wait_for("Running", 2))
    assert job.wait_for("Succeeded", 2)


def test_a_statefulset_scaled_to_zero_by_worker_0_remains_without_pods(
    api: Api, nodes: Kubelet, namespace: str
) -> None:
    job = ClusterJob(api, namespace, "statefulset")
    job.apply(launch=TORCHRUN, elastic=ELASTIC, resources=SMALL)
    job.wait_for("Running", 1)
    account = Api(api.server, impersonate=f"system:serviceaccount:{namespace}:{job.name}")
    account.delete("HorizontalPodAutoscaler", namespace, job.name)
    account.patch("StatefulSet", namespace, job.name, {"spec": {"replicas": 0}}, "scale")
    wait("end of the pods", lambda: not job.pods())
    assert [each["metadata"]["name"] for each in api.find("StatefulSet", namespace)] == [job.name]
    with pytest.raises(ApiError, match="NotFound"):
        api.get("HorizontalPodAutoscaler", namespace, job.name)
