"""Selectors of Services and controllers match all pods of their job and no others in the namespace.

A selector matches a pod that has all of its labels:
https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import NATIVE_BACKENDS, compile_objects, pod_template, workers_of
from trainc.systems.registry import NAMES

# Label with the pod's index, set by each back end's controller or by trainc. From Kubernetes' documentation:
# https://kubernetes.io/docs/reference/labels-annotations-taints/
INDEX = {
    "pods": "trainc.dev/index",
    "job": "batch.kubernetes.io/job-completion-index",
    "jobset": "batch.kubernetes.io/job-completion-index",
    "statefulset": "apps.kubernetes.io/pod-index",
    # pkg/apis/kubeflow.org/v1/common_types.go of the training operator
    "pytorchjob": "training.kubeflow.org/replica-index",
    "deepspeedjob": "number",  # T9k does not document the label
    # pkg/apis/kubeflow/v2beta1/constants.go of the MPI operator
    "mpijob": "training.kubeflow.org/replica-index",
    # pkg/apis/common/v1/constants.go of kubeflow/common
    "elasticjob": "replica-index",
    # staging/src/volcano.sh/apis/pkg/apis/batch/v1alpha1/labels.go of Volcano
    "vcjob": "volcano.sh/task-index",
    "trainjob": "batch.kubernetes.io/job-completion-index",
    # RayWorkerReplicaIndexKey of controllers/ray/utils/constant.go of KubeRay, behind a feature gate
    "rayjob": "ray.io/worker-group-replica-index",
}
# Names that are prefixes, suffixes or pod names of others.
JOBS = ["mnist", "mnist-0", "mnist-1", "mnist-0-0", "a-mnist", "worker", "trainc"]
LABELS: list[dict[str, str]] = [
    {},
    {"app.kubernetes.io/name": "mnist", "app": "mnist"},
    {"app.kubernetes.io/component": "worker", "app.kubernetes.io/managed-by": "me"},
]


def pod_labels(backend: str, name: str, labels: dict[str, str]) -> list[dict[str, str]]:
    """Return the labels of a job's two running pods, with the index that the controllers add."""
    resources = compile_objects(backend, {"name": name, "labels": labels}, workers=2)
    labels_of_templates = [
        pod_template(resource)["metadata"]["labels"]
        for resource in resources
        if resource["kind"] not in ("Service", "TrainJob")
    ]
    if backend == "pods":
        return labels_of_templates
    assert len(labels_of_templates) == 1
    return [{**labels_of_templates[0], INDEX[backend]: number} for number in ("0", "1")]


def selectors(backend: str, name: str, labels: dict[str, str]) -> dict[str, dict[str, str]]:
    """Return the selectors of a job's objects by kind and name."""
    result = {}
    for resource in compile_objects(backend, {"name": name, "labels": labels}, workers=2):
        selector: dict[str, Any] = resource["spec"].get("selector") or {}
        if selector:
            result[f"{resource['kind']}/{resource['metadata']['name']}"] = selector.get("matchLabels", selector)
    return result


def selects(selector: dict[str, str], labels: dict[str, str]) -> bool:
    return selector.items() <= labels.items()


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_services_select_all_pods_of_their_job_or_only_worker_0(backend: str) -> None:
    pods, by_name = pod_labels(backend, "mnist", {}), selectors(backend, "mnist", {})
    assert [selects(by_name["Service/mnist"], pod) for pod in pods] == [True, True]
    assert [selects(by_name["Service/mnist-0"], pod) for pod in pods] == [True, False]


def test_a_statefulset_selects_its_pods() -> None:
    pods, by_name = pod_labels("statefulset", "mnist", {}), selectors("statefulset", "mnist", {})
    assert [selects(by_name["StatefulSet/mnist"], pod) for pod in pods] == [True, True]


@pytest.mark.sample(10)
@pytest.mark.parametrize("backend", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_selectors_match_no_pods_of_other_jobs(backend: str, other: str) -> None:
    pods = [(name, pod) for name in JOBS for labels in LABELS for pod in pod_labels(other, name, labels)]
    for name in JOBS:
        for labels in LABELS:
            for owner, selector in selectors(backend, name, labels).items():
                selected = {pod_owner for pod_owner, pod in pods if selects(selector, pod)}
                assert selected <= {name}, owner


@pytest.mark.parametrize("backend", NAMES)
def test_user_labels_do_not_change_selectors(backend: str) -> None:
    assert len({repr(selectors(backend, "mnist", labels)) for labels in LABELS}) == 1


@pytest.mark.parametrize("backend", NAMES)
def test_user_labels_override_the_common_labels(backend: str) -> None:
    """https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/"""
    resource = workers_of(compile_objects(backend))
    labels = resource["metadata"]["labels"]
    assert labels["app.kubernetes.io/name"] == "mnist"
    assert labels["app.kubernetes.io/managed-by"] == "trainc"
    resource = workers_of(compile_objects(backend, {"labels": {"app.kubernetes.io/name": "vision"}}))
    assert resource["metadata"]["labels"]["app.kubernetes.io/name"] == "vision"


@pytest.mark.parametrize("backend", NAMES)
@pytest.mark.parametrize(
    "label", ["app.kubernetes.io/name", "app.kubernetes.io/component", "app.kubernetes.io/part-of"]
)
def test_user_labels_are_equal_on_objects_and_pods(backend: str, label: str) -> None:
    """docs/reference.md: metadata.labels are "for every object and pod"."""
    resource = workers_of(compile_objects(backend, {"labels": {label: "vision"}}))
    assert resource["metadata"]["labels"][label] == "vision"
    assert pod_template(resource)["metadata"]["labels"][label] == "vision"
