"""PyTorchJobs of the real training operator: failures, the end, changes and scaling."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.cluster.api import Api, ApiError, Object
from tests.cluster.cluster import true_condition, wait
from tests.cluster.created import created_objects
from tests.cluster.jobs import ELASTIC, SMALL, TORCHRUN, ClusterJob, exit_programs, names, uids
from tests.cluster.kubelet import Kubelet
from tests.cluster.metrics import CPU, SCALED, Metrics
from tests.cluster.operators.session import Operators
from tests.cluster.test_failure import evict
from tests.cluster.test_rendezvous import wait_for_endpoints

LEADER = {"successPolicy": "Leader"}
SIGNALS = {"exitCodes": {"retryable": "signals"}}


@pytest.fixture(autouse=True)
def operator(operators: Operators, nodes: Kubelet) -> None:
    operators.start("training")


@pytest.fixture
def job(api: Api, namespace: str) -> ClusterJob:
    return ClusterJob(api, namespace, "pytorchjob")


def created(job: ClusterJob, kind: str) -> list[str]:
    """Return the names of the objects of a kind that the operator has created."""
    return names([each for each in created_objects(job.api, job.namespace) if each["kind"] == kind])


def current(job: ClusterJob, pod: Object) -> Object:
    return job.api.get("Pod", job.namespace, pod["metadata"]["name"])


def replacement_of(job: ClusterJob, old: Object) -> Object:
    """Wait for the running pod that replaces another of the same name."""

    def replacement() -> Object | None:
        pod = current(job, old)
        return pod if not uids([pod]) & uids([old]) and pod["status"]["phase"] == "Running" else None

    return wait(f"replacement of {old['metadata']['name']}", replacement)


def is_finished(job: ClusterJob) -> bool:
    return bool(true_condition(job.job(), "Succeeded") or true_condition(job.job(), "Failed"))


def wait_for_restarts(job: ClusterJob, count: int) -> None:
    """Wait until the operator has seen pods with this many restarts: it reconciles at each change of a pod."""
    wait(f"{count} restarts", lambda: sum(restarts(pod) for pod in job.pods()) == count)
    time.sleep(1)  # a decision that must not be taken has no condition to wait for


def restarts(pod: Object) -> int:
    return sum(each["restartCount"] for each in pod["status"]["containerStatuses"])


def test_restarts_of_all_workers_count_together_and_end_the_job_with_its_pods(job: ClusterJob, nodes: Kubelet) -> None:
    first, second = job.start(lifecycle={"backoffLimit": 2})
    nodes.exit(first, 1)
    wait_for_restarts(job, 1)
    assert uids(job.pods()) == uids([first, second])
    assert not is_finished(job)
    nodes.exit(second, 1)
    assert "reached the specified backoff limit" in job.wait_for_condition("Failed")["message"]
    wait("end of the pods", lambda: not job.api.find("Pod", job.namespace))


def test_without_restarts_the_first_failure_fails_the_job_and_finished_pods_remain(
    job: ClusterJob, nodes: Kubelet
) -> None:
    first, second, _ = job.start(3, lifecycle={"backoffLimit": 0})
    nodes.exit(first, 0)
    nodes.exit(second, 1)
    job.wait_for_condition("Failed")
    wait("end of the running pod", lambda: names(job.pods()) == names([first, second]))


def test_exit_codes_of_signals_recreate_the_pod_without_limit_and_others_fail_the_job(
    job: ClusterJob, nodes: Kubelet
) -> None:
    _, second = job.start(launch={"basic": {}}, lifecycle={**SIGNALS, "backoffLimit": 1})
    for code in (137, 128, 143):
        nodes.exit(second, code)
        second = replacement_of(job, second)
        assert not is_finished(job)
    nodes.exit(second, 127)
    job.wait_for_condition("Failed")


@pytest.mark.parametrize(("limit", "ends"), [(1, False), (0, True)])
def test_an_evicted_pod_is_recreated_and_does_not_count_unless_nothing_is_restarted(
    job: ClusterJob, nodes: Kubelet, limit: int, ends: bool
) -> None:
    nodes.lingering.add(job.namespace)
    _, second = job.start(lifecycle={"backoffLimit": limit})
    for _ in range(1 if ends else 3):
        evict(job.api, second)
        if ends:
            job.wait_for_condition("Failed")
        else:
            second = replacement_of(job, second)
            assert not is_finished(job)


def test_the_operator_enforces_a_deadline_only_when_something_changes(job: ClusterJob) -> None:
    pods = job.start(lifecycle={"activeDeadlineSeconds": 3})
    assert {pod["spec"]["activeDeadlineSeconds"] for pod in pods} == {3}
    time.sleep(5)
    assert job.phases() == ["Running", "Running"]
    job.api.patch("Pod", job.namespace, names(pods)[0], {"metadata": {"annotations": {"any": "change"}}})
    assert "longer than specified deadline" in job.wait_for_condition("Failed")["message"]
    wait("end of the pods", lambda: not job.api.find("Pod", job.namespace))


def test_a_fixed_size_job_succeeds_with_its_last_worker(job: ClusterJob, nodes: Kubelet) -> None:
    pods = job.start(3)
    exit_programs(nodes, pods[:2])
    job.wait_for("Succeeded", 2)
    time.sleep(1)
    assert not is_finished(job)
    nodes.exit(pods[2], 0)
    job.wait_for_condition("Succeeded")
    assert job.phases() == ["Succeeded"] * 3


def test_an_elastic_job_succeeds_with_any_worker_and_running_pods_are_deleted(job: ClusterJob, nodes: Kubelet) -> None:
    pods = job.start(3, elastic=ELASTIC)
    nodes.exit(pods[1], 0)
    job.wait_for_condition("Succeeded")
    wait("end of the others", lambda: names(job.pods()) == [names(pods)[1]])


def test_with_a_master_its_success_is_the_jobs(job: ClusterJob, nodes: Kubelet) -> None:
    pods = {pod["metadata"]["name"]: pod for pod in job.start(3, lifecycle=LEADER)}
    assert sorted(pods) == ["mnist-master-0", "mnist-worker-0", "mnist-worker-1"]
    nodes.exit(pods["mnist-worker-0"], 0)
    job.wait_for("Succeeded", 1)
    time.sleep(1)
    assert not is_finished(job)
    nodes.exit(pods["mnist-master-0"], 0)
    job.wait_for_condition("Succeeded")
    wait("end of the others", lambda: names(job.pods()) == ["mnist-master-0", "mnist-worker-0"])


def test_with_clean_pod_policy_none_the_operator_keeps_running_pods(job: ClusterJob, nodes: Kubelet) -> None:
    pods = job.start(elastic=ELASTIC, lifecycle={"cleanPodPolicy": "None"})
    nodes.exit(pods[1], 0)
    job.wait_for_condition("Succeeded")
    time.sleep(1)
    assert uids(job.pods()) == uids(pods)


def test_with_clean_pod_policy_all_the_finished_job_remains_without_pods_until_its_ttl(
    job: ClusterJob, nodes: Kubelet
) -> None:
    exit_programs(nodes, job.start(lifecycle={"cleanPodPolicy": "All", "ttlSecondsAfterFinished": 4}))
    wait("end of the pods", lambda: not job.api.find("Pod", job.namespace))
    assert true_condition(job.job(), "Succeeded")
    wait("end of the job", lambda: not job.api.find("PyTorchJob", job.namespace))


def test_a_job_that_an_exit_code_has_failed_has_no_ttl(job: ClusterJob, nodes: Kubelet) -> None:
    first, _ = job.start(launch={"basic": {}}, lifecycle={**SIGNALS, "ttlSecondsAfterFinished": 1})
    nodes.exit(first, 1)
    job.wait_for_condition("Failed")
    time.sleep(4)
    assert "completionTime" not in job.job()["status"]


def test_the_operators_autoscaler_scales_from_workers_within_its_bounds(job: ClusterJob, load: Metrics) -> None:
    load.cpu[job.namespace] = 500
    job.start(3, elastic=SCALED)
    scaler = job.api.get("HorizontalPodAutoscaler", job.namespace, "mnist")["spec"]
    assert (scaler["minReplicas"], scaler["maxReplicas"], scaler["metrics"]) == (2, 4, [CPU])
    load.cpu[job.namespace] = 1000_000
    job.wait_for("Running", 4)


def test_applying_again_conflicts_with_the_autoscaler_and_resets_the_number_of_workers(job: ClusterJob) -> None:
    job.start(2, elastic=SCALED)
    scale(job, 4)  # like the autoscaler
    job.wait_for("Running", 4)
    with pytest.raises(ApiError, match="conflict"):
        job.start(2, elastic=SCALED)
    for manifest in job.compile(workers=2, launch=TORCHRUN, resources=SMALL, elastic=SCALED).objects():
        job.api.apply(manifest, force="true")  # like kubectl's client-side apply
    wait("2 workers", lambda: job.phases() == ["Running"] * 2)


def scale(job: ClusterJob, workers: int) -> None:
    """Scale like `kubectl scale`."""
    job.api.patch("PyTorchJob", job.namespace, job.name, {"spec": {"replicas": workers}}, "scale")


def test_the_autoscaler_brings_the_workers_into_its_bounds(job: ClusterJob) -> None:
    job.start(2, elastic=SCALED)
    scale(job, 1)
    job.wait_for("Running", 2)


def test_an_elastic_job_without_metrics_is_scaled_by_hand(job: ClusterJob) -> None:
    pods = job.start(2, elastic=ELASTIC)
    assert created(job, "HorizontalPodAutoscaler") == []
    scale(job, 3)
    assert uids(pods) < uids(job.wait_for("Running", 3))
    scale(job, 1)
    wait("1 worker", lambda: names(job.pods()) == ["mnist-worker-0"])
    wait("its Service", lambda: created(job, "Service") == ["mnist-worker-0"])
    assert not is_finished(job)


def test_pods_that_cannot_be_scheduled_stay_pending(job: ClusterJob) -> None:
    job.apply(launch=TORCHRUN, elastic={"minReplicas": 2, "maxReplicas": 5}, resources={**SMALL, "gpu": 8})
    job.wait_for("Running", 4)  # four nodes with eight GPUs each
    wait("pending pod", lambda: sorted(job.phases()) == ["Pending", *["Running"] * 4])


def test_a_paused_job_has_no_pods_and_services_and_its_deadline_starts_again(job: ClusterJob) -> None:
    spec: dict[str, Any] = {"elastic": SCALED, "lifecycle": {"activeDeadlineSeconds": 600}}
    pods = job.start(**spec)
    job.wait_for_condition("Running")
    before = job.job()
    time.sleep(1)  # times are in seconds
    job.apply(workers=2, launch=TORCHRUN, resources=SMALL, mode="paused", **spec)
    job.wait_for_condition("Suspended")
    wait("end of the pods", lambda: created_objects(job.api, job.namespace) == [])
    assert not uids(job.start(**spec)) & uids(pods)
    wait("new start", lambda: job.job()["status"]["startTime"] > before["status"]["startTime"])
    assert uids([job.job()]) == uids([before])


def test_a_changed_job_keeps_its_pods_until_they_are_recreated(job: ClusterJob) -> None:
    _, second = job.start()
    job.start(image="image:2")
    assert uids([current(job, second)]) == uids([second])
    job.api.delete("Pod", job.namespace, second["metadata"]["name"])
    images = [replacement_of(job, second)["spec"]["containers"][0]["image"]]
    assert [*images, job.pods()[0]["spec"]["containers"][0]["image"]] == ["image:2", "image:1"]


def test_a_second_run_has_the_run_id_of_the_first(job: ClusterJob) -> None:
    first = job.start(elastic=ELASTIC)
    job.api.delete("PyTorchJob", job.namespace, "mnist")
    wait("end of the pods", lambda: not job.api.find("Pod", job.namespace))
    ids = {variable(pod, "PET_RDZV_ID") for pod in (*first, *job.start(elastic=ELASTIC))}
    assert ids == {"mnist"}


def variable(pod: Object, name: str) -> str:
    values = [each["value"] for each in pod["spec"]["containers"][0]["env"] if each["name"] == name]
    return str(values[-1])


def test_the_name_of_worker_0_resolves_when_its_containers_are_ready(job: ClusterJob, nodes: Kubelet) -> None:
    nodes.unready.add(job.namespace)
    job.start()
    endpoints = wait_for_endpoints(job.api, job.namespace, "mnist-worker-0", 1)
    assert [endpoint["conditions"]["ready"] for endpoint in endpoints.values()] == [False]


def test_the_webhook_rejects_a_job_with_a_name_that_services_cannot_have(job: ClusterJob) -> None:
    manifest = job.compile(workers=2, launch=TORCHRUN).objects()[0]
    manifest["metadata"]["name"] = "1-mnist"
    with pytest.raises(ApiError, match="should match: "):
        job.api.apply(manifest)
