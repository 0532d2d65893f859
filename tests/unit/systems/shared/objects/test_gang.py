"""Gang scheduling: the pod group of each scheduler, and the pods' reference to it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import ANY_LAUNCHER_BACKENDS, NATIVE_BACKENDS, compile_objects, pod_template
from trainc.target import Target

ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 2, "maxReplicas": 4}}


def groups_and_workers(
    backend: str, gang: Any, minor: int = 33, **spec: Any
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the pod groups, and the object that contains the pod template."""
    scheduling = {"gang": gang, **spec.pop("scheduling", {})}
    target = Target(backend=backend, minor=minor)
    resources = compile_objects(backend, target=target, **{"workers": 3, "scheduling": scheduling, **spec})
    groups = [resource for resource in resources if resource["kind"] in ("PodGroup", "Workload")]
    workers = next(
        resource
        for resource in resources
        if resource["kind"] in ("Pod", "Job", "StatefulSet", "JobSet", "TrainingRuntime", "PyTorchJob", "ElasticJob")
    )
    return groups, workers


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_volcano_pods_name_the_group_in_an_annotation(backend: str) -> None:
    (group,), workers = groups_and_workers(backend, "volcano")
    assert group["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    assert (group["metadata"]["name"], group["spec"]) == ("mnist", {"minMember": 3})
    pod = pod_template(workers)
    assert pod["metadata"]["annotations"] == {"scheduling.k8s.io/group-name": "mnist"}
    assert pod["spec"]["schedulerName"] == "volcano"


def test_volcano_group_has_queue_and_priority_class() -> None:
    scheduling = {"priorityClassName": "high", "schedulerName": "volcano-gpu"}
    (group,), workers = groups_and_workers("job", {"volcano": {"queue": "research"}}, scheduling=scheduling)
    assert group["spec"] == {"minMember": 3, "queue": "research", "priorityClassName": "high"}
    assert pod_template(workers)["spec"]["schedulerName"] == "volcano-gpu"
    assert groups_and_workers("job", {"volcano": {}})[0][0]["spec"] == {"minMember": 3}


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_coscheduling_pods_name_the_group_in_a_label(backend: str) -> None:
    (group,), workers = groups_and_workers(backend, "coscheduling")
    assert (group["apiVersion"], group["spec"]) == ("scheduling.x-k8s.io/v1alpha1", {"minMember": 3})
    pod = pod_template(workers)
    assert pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] == group["metadata"]["name"] == "mnist"
    assert "schedulerName" not in pod["spec"]


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)  # the operator of a DeepSpeedJob creates the group
def test_t9k_pods_name_the_group_in_a_label(backend: str) -> None:
    """https://github.com/t9k/user-manuals, src/tasks/use-podgroup.md."""
    (group,), workers = groups_and_workers(backend, {"t9k": {"queue": "default", "priority": 50}})
    assert (group["apiVersion"], group["kind"]) == ("scheduler.tensorstack.dev/v1beta1", "PodGroup")
    assert group["metadata"]["name"] == "mnist"
    assert group["spec"] == {"minMember": 3, "queue": "default", "priority": 50}
    pod = pod_template(workers)
    assert pod["metadata"]["labels"]["scheduler.tensorstack.dev/group-name"] == "mnist"
    assert pod["spec"]["schedulerName"] == "t9k-scheduler"


def test_t9k_defaults_are_omitted() -> None:
    assert groups_and_workers("job", "t9k")[0] == groups_and_workers("job", {"t9k": {}})[0]
    assert groups_and_workers("job", "t9k")[0][0]["spec"] == {"minMember": 3}
    assert groups_and_workers("job", {"t9k": {"priority": 0}})[0][0]["spec"] == {"minMember": 3, "priority": 0}


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_kubernetes_1_35_has_a_workload_with_the_group(backend: str) -> None:
    (workload,), workers = groups_and_workers(backend, "kubernetes", 35)
    assert (workload["apiVersion"], workload["kind"]) == ("scheduling.k8s.io/v1alpha1", "Workload")
    assert workload["spec"] == {"podGroups": [{"name": "worker", "policy": {"gang": {"minCount": 3}}}]}
    assert pod_template(workers)["spec"]["workloadRef"] == {"name": "mnist", "podGroup": "worker"}


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
@pytest.mark.parametrize(("minor", "version"), [(36, "v1alpha2"), (37, "v1beta1")])
def test_later_kubernetes_has_a_pod_group(backend: str, minor: int, version: str) -> None:
    groups, workers = groups_and_workers(backend, "kubernetes", minor)
    pod = pod_template(workers)["spec"]
    if (backend, minor) == ("job", 37):
        assert groups == []
        assert "schedulingGroup" not in pod
        assert workers["spec"]["scheduling"] == {"schedulingPolicy": {"gang": {"minCount": 3}}}
        return
    ((group),) = groups
    assert (group["apiVersion"], group["kind"]) == (f"scheduling.k8s.io/{version}", "PodGroup")
    assert group["spec"] == {"schedulingPolicy": {"gang": {"minCount": 3}}}
    assert pod["schedulingGroup"] == {"podGroupName": "mnist"}
    assert "scheduling" not in workers["spec"]


@pytest.mark.parametrize("gang", ["volcano", "coscheduling", "t9k"])
@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_gang_of_an_elastic_job_has_the_minimum(backend: str, gang: str) -> None:
    (group,), _ = groups_and_workers(backend, gang, resources={"cpu": 1}, **ELASTIC)
    assert group["spec"] == {"minMember": 2}


def test_kubernetes_gang_of_an_elastic_job_has_the_minimum() -> None:
    _, job = groups_and_workers("job", "kubernetes", 37, **ELASTIC)
    assert job["spec"]["scheduling"]["schedulingPolicy"]["gang"]["minCount"] == 2


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_groups_precede_pods(backend: str) -> None:
    kinds = [resource["kind"] for resource in compile_objects(backend, workers=2, scheduling={"gang": "volcano"})]
    assert kinds[:3] == ["Service", "Service", "PodGroup"]


# Custom resources come last: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/
@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_argo_cd_applies_the_group_in_an_earlier_wave(backend: str) -> None:
    annotations = {"argocd.argoproj.io/sync-wave": "4"}
    (group,), _ = groups_and_workers(backend, "coscheduling", metadata={"annotations": annotations})
    assert group["metadata"]["annotations"] == {"argocd.argoproj.io/sync-wave": "3"}
    (group,), _ = groups_and_workers(backend, "coscheduling")
    assert "annotations" not in group["metadata"]
