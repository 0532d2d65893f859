"""Applying a changed job again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.api import Api, ApiError
from tests.cluster.cluster import Cluster, true_condition, wait
from tests.cluster.jobs import ELASTIC, SMALL, TORCHRUN, ClusterJob, exit_programs, uids
from tests.cluster.kubelet import Kubelet

pytestmark = pytest.mark.usefixtures("nodes")
CHANGES: dict[str, dict[str, Any]] = {
    "workers": {"workers": 3},
    "arguments": {"run": {"python": ["train.py", "--epochs", "9"]}},
    "image": {"image": "image:2"},
}
FIRST: dict[str, Any] = {"workers": 2, "launch": TORCHRUN, "resources": SMALL}


def start(api: Api, namespace: str, backend: str) -> tuple[ClusterJob, set[str]]:
    """Start a job of two workers; return it and its pods' UIDs."""
    job = ClusterJob(api, namespace, backend)
    job.apply(**FIRST)
    return job, uids(job.wait_for("Running", 2))


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_job_is_rejected_and_the_old_run_continues(api: Api, namespace: str, change: str) -> None:
    job, pods = start(api, namespace, "job")
    with pytest.raises(ApiError, match="field is immutable"):
        job.apply(**{**FIRST, **CHANGES[change]})
    assert uids(job.pods()) == pods


@pytest.mark.parametrize("change", ["workers", "arguments"])
def test_changed_bare_pods_are_rejected_and_new_ones_are_created(api: Api, namespace: str, change: str) -> None:
    job, pods = start(api, namespace, "pods")
    rejected = []
    for manifest in job.compile(**{**FIRST, **CHANGES[change]}).objects():
        try:
            api.apply(manifest)
        except ApiError as error:
            rejected.append((manifest["metadata"]["name"], error.message))
    assert [name for name, _ in rejected] == ["mnist-0", "mnist-1"]
    assert all("pod updates may not change fields other than" in message for _, message in rejected)
    assert uids(job.wait_for("Running", 3 if change == "workers" else 2)) >= pods


def test_bare_pods_accept_another_image(api: Api, namespace: str) -> None:
    job, pods = start(api, namespace, "pods")
    job.apply(**{**FIRST, **CHANGES["image"]})
    assert uids(job.pods()) == pods
    assert {pod["spec"]["containers"][0]["image"] for pod in job.pods()} == {"image:2"}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_statefulset_replaces_all_its_pods(api: Api, namespace: str, change: str) -> None:
    job, pods = start(api, namespace, "statefulset")
    job.apply(**{**FIRST, **CHANGES[change]})
    count = 3 if change == "workers" else 2
    wait("new pods", lambda: not uids(job.pods()) & pods and job.phases() == ["Running"] * count)


def test_a_paused_job_deletes_its_pods_and_resumes_with_new_ones(api: Api, namespace: str) -> None:
    job, pods = start(api, namespace, "job")
    before = job.job()["metadata"]["uid"]
    job.apply(**FIRST, mode="paused")
    wait("end of the pods", lambda: not job.pods())
    assert [service["metadata"]["name"] for service in api.find("Service", namespace)] == ["mnist", "mnist-0"]
    job.apply(**FIRST)
    assert not uids(job.wait_for("Running", 2)) & pods
    assert job.job()["metadata"]["uid"] == before


def test_a_paused_statefulset_deletes_its_pods_and_resumes_with_new_ones(api: Api, namespace: str) -> None:
    job, pods = start(api, namespace, "statefulset")
    job.apply(**FIRST, mode="paused")
    wait("end of the pods", lambda: not job.pods())
    assert [service["metadata"]["name"] for service in api.find("Service", namespace)] == ["mnist", "mnist-0"]
    job.apply(**FIRST)
    assert not uids(job.wait_for("Running", 2)) & pods


def test_bare_pods_continue_when_the_job_is_paused(api: Api, namespace: str) -> None:
    job, pods = start(api, namespace, "pods")
    job.apply(**FIRST, mode="paused")
    assert uids(job.wait_for("Running", 2)) == pods


@pytest.mark.parametrize("backend", ["job", "pods", "statefulset"])
def test_a_job_created_paused_has_no_pods_until_it_is_resumed(api: Api, namespace: str, backend: str) -> None:
    job = ClusterJob(api, namespace, backend)
    job.apply(**FIRST, mode="paused")
    assert api.find("Service", namespace)
    assert not job.pods()
    job.apply(**FIRST)
    assert job.wait_for("Running", 2)


OTHER_NODE: dict[str, Any] = {"nodeSelector": {"disk": "trainc-node-1"}}
MORE_RESOURCES: dict[str, Any] = {"resources": {"cpu": 2, "memory": "2Gi"}}


@pytest.mark.parametrize("backend", ["job", "statefulset"])
@pytest.mark.parametrize("change", [OTHER_NODE, MORE_RESOURCES], ids=["nodes", "resources"])
def test_a_paused_job_resumes_on_other_nodes_or_with_other_resources(
    api: Api, namespace: str, backend: str, change: dict[str, Any]
) -> None:
    job, pods = start(api, namespace, backend)
    job.apply(**FIRST, mode="paused")
    wait("end of the pods", lambda: not api.find("Pod", namespace))
    if backend == "job":
        wait("suspended Job", lambda: true_condition(job.job(), "Suspended") and not job.job()["status"].get("active"))
    job.apply(**FIRST, mode={"resumed": change})
    new_pods = job.wait_for("Running", 2)
    assert not uids(new_pods) & pods
    if change is OTHER_NODE:
        assert {pod["spec"]["nodeName"] for pod in new_pods} == {"trainc-node-1"}
    else:
        assert {pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] for pod in new_pods} == {"2"}


def test_a_paused_job_cannot_resume_with_another_program_but_a_statefulset_can(api: Api, namespace: str) -> None:
    other = {**FIRST, "mode": {"resumed": CHANGES["arguments"]}}
    job = ClusterJob(api, namespace, "job")
    job.apply(**FIRST, mode="paused")
    with pytest.raises(ApiError, match="field is immutable"):
        job.apply(**other)
    statefulset = ClusterJob(api, namespace, "statefulset", "other")
    statefulset.apply(**FIRST, mode="paused")
    statefulset.apply(**other)
    for pod in statefulset.wait_for("Running", 2):
        assert pod["spec"]["containers"][0]["args"][-2:] == ["--epochs", "9"]


@pytest.mark.parametrize("backend", ["job", "pods"])
def test_debug_mode_is_rejected_for_running_pods(api: Api, namespace: str, backend: str) -> None:
    job, pods = start(api, namespace, backend)
    with pytest.raises(ApiError, match=r"field is immutable|pod updates may not change fields"):
        job.apply(**FIRST, mode="debug")
    assert uids(job.pods()) == pods


def test_debug_mode_replaces_the_pods_of_a_running_statefulset(api: Api, namespace: str) -> None:
    job, pods = start(api, namespace, "statefulset")
    job.apply(**FIRST, mode="debug")
    wait("new pods", lambda: not uids(job.pods()) & pods and job.phases() == ["Running", "Running"])


@pytest.mark.parametrize("backend", ["job", "pods"])
def test_a_finished_job_does_not_run_again(api: Api, nodes: Kubelet, namespace: str, backend: str) -> None:
    job, pods = start(api, namespace, backend)
    exit_programs(nodes, job.pods())
    job.wait_for("Succeeded", 2)
    if backend == "job":
        job.wait_for_condition("Complete")
    job.apply(**FIRST)
    assert uids(job.wait_for("Succeeded", 2)) == pods


def kubectl_apply(cluster: Cluster, job: ClusterJob, **spec: Any) -> None:
    """Apply with kubectl, which compares with its last applied configuration."""
    done = cluster.run("apply", "-f", "-", stdin=job.compile(**spec).to_yaml())
    assert done.returncode == 0, done.stderr


def scale_to_zero(cluster: Cluster, job: ClusterJob, **spec: Any) -> None:
    """Apply a StatefulSet and scale it to zero as worker 0 does."""
    kubectl_apply(cluster, job, **spec)
    wait("pods", job.pods)
    cluster.api.delete("HorizontalPodAutoscaler", job.namespace, job.name)
    cluster.api.patch("StatefulSet", job.namespace, job.name, {"spec": {"replicas": 0}}, "scale")
    wait("end of the pods", lambda: not job.pods())


def test_a_statefulset_scaled_to_zero_trains_again_when_applied(cluster: Cluster, namespace: str) -> None:
    job = ClusterJob(cluster.api, namespace, "statefulset")
    scale_to_zero(cluster, job, **FIRST)
    kubectl_apply(cluster, job, **FIRST)
    assert job.wait_for("Running", 2)


def test_an_autoscaled_statefulset_scaled_to_zero_stays_at_zero_until_it_is_scaled(
    cluster: Cluster, namespace: str
) -> None:
    api, spec = cluster.api, {**FIRST, "elastic": {"minReplicas": 2, "maxReplicas": 3}}
    job = ClusterJob(api, namespace, "statefulset")
    scale_to_zero(cluster, job, **spec)
    kubectl_apply(cluster, job, **spec)

    def disabled() -> bool:
        scaler = api.get("HorizontalPodAutoscaler", namespace, job.name)
        reasons = [each["reason"] for each in scaler.get("status", {}).get("conditions", [])]
        return "ScalingDisabled" in reasons

    wait("disabled autoscaler", disabled)
    assert job.pods() == []
    assert cluster.run("scale", "statefulset", job.name, "-n", namespace, "--replicas=1").returncode == 0
    assert job.wait_for("Running", 2)  # the autoscaler's minimum


@pytest.mark.parametrize("backend", ["job", "statefulset"])
def test_a_paused_elastic_job_resumes(cluster: Cluster, namespace: str, backend: str) -> None:
    spec = {**FIRST, "elastic": {"minReplicas": 2, "maxReplicas": 3}}
    job = ClusterJob(cluster.api, namespace, backend)
    kubectl_apply(cluster, job, **spec)
    wait("pods", job.pods)
    kubectl_apply(cluster, job, **spec, mode="paused")
    wait("end of the pods", lambda: not job.pods())
    kubectl_apply(cluster, job, **spec)
    assert job.wait_for("Running", 2)  # its workers, which are the autoscaler's minimum, too


def test_an_elastic_job_scales_by_parallelism_and_completions_together(api: Api, namespace: str) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(**FIRST, elastic=ELASTIC)
    job.wait_for("Running", 2)
    for count in (3, 2):
        api.patch("Job", namespace, job.name, {"spec": {"parallelism": count, "completions": count}})
        job.wait_for("Running", count)
        assert len(job.pods()) == count
    with pytest.raises(ApiError, match=r"can only be modified in tandem with spec\.parallelism"):
        api.patch("Job", namespace, job.name, {"spec": {"completions": 3}})
