"""Labels and selectors: a Service and a controller find the pods of their job, and of no other in the namespace.

A selector matches a pod that has all of its labels:
https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import NATIVE_BACKENDS, compile_objects, pod_template
from trainc.systems.registry import NAMES

# The label by which each back end's controller, or trainc itself, numbers the pods. From Kubernetes' documentation:
# https://kubernetes.io/docs/reference/labels-annotations-taints/
INDEX = {
    "pods": "trainc.dev/index",
    "job": "batch.kubernetes.io/job-completion-index",
    "statefulset": "apps.kubernetes.io/pod-index",
    # pkg/apis/kubeflow.org/v1/common_types.go of the training operator
    "pytorchjob": "training.kubeflow.org/replica-index",
    "deepspeedjob": "number",  # T9k doesn't say which
    # pkg/apis/common/v1/constants.go of kubeflow/common
    "elasticjob": "replica-index",
}
# Names of which one begins, ends, or looks like the pods of another.
JOBS = ["mnist", "mnist-0", "mnist-1", "mnist-0-0", "a-mnist", "worker", "trainc"]
LABELS: list[dict[str, str]] = [
    {},
    {"app.kubernetes.io/name": "mnist", "app": "mnist"},
    {"app.kubernetes.io/component": "worker", "app.kubernetes.io/managed-by": "me"},
]


def running(backend: str, name: str, labels: dict[str, str]) -> list[dict[str, str]]:
    """The labels of a job's two pods as they run: the controllers add the number."""
    things = compile_objects(backend, {"name": name, "labels": labels}, workers=2)
    found = [pod_template(thing)["metadata"]["labels"] for thing in things if thing["kind"] not in ("Service",)]
    if backend == "pods":
        return found
    assert len(found) == 1
    return [{**found[0], INDEX[backend]: number} for number in ("0", "1")]


def selectors(backend: str, name: str, labels: dict[str, str]) -> dict[str, dict[str, str]]:
    """The selectors of a job's objects by kind and name."""
    found = {}
    for thing in compile_objects(backend, {"name": name, "labels": labels}, workers=2):
        given: dict[str, Any] = thing["spec"].get("selector") or {}
        if given:
            found[f"{thing['kind']}/{thing['metadata']['name']}"] = given.get("matchLabels", given)
    return found


def selects(selector: dict[str, str], labels: dict[str, str]) -> bool:
    return selector.items() <= labels.items()


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_a_service_selects_all_pods_of_its_job_and_the_leaders_only_worker_0(backend: str) -> None:
    pods, found = running(backend, "mnist", {}), selectors(backend, "mnist", {})
    assert [selects(found["Service/mnist"], pod) for pod in pods] == [True, True]
    assert [selects(found["Service/mnist-0"], pod) for pod in pods] == [True, False]


def test_a_statefulset_selects_its_pods() -> None:
    pods, found = running("statefulset", "mnist", {}), selectors("statefulset", "mnist", {})
    assert [selects(found["StatefulSet/mnist"], pod) for pod in pods] == [True, True]


@pytest.mark.parametrize("backend", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_no_selector_of_a_job_selects_a_pod_of_another_job(backend: str, other: str) -> None:
    pods = [(name, pod) for name in JOBS for labels in LABELS for pod in running(other, name, labels)]
    for name in JOBS:
        for labels in LABELS:
            for owner, selector in selectors(backend, name, labels).items():
                taken = {whose for whose, pod in pods if selects(selector, pod)}
                assert taken <= {name}, owner


@pytest.mark.parametrize("backend", NAMES)
def test_labels_of_the_user_never_change_a_selector(backend: str) -> None:
    assert len({repr(selectors(backend, "mnist", labels)) for labels in LABELS}) == 1


@pytest.mark.parametrize("backend", NAMES)
def test_the_common_labels_are_kubernetes_own_and_the_users_win(backend: str) -> None:
    """https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/"""
    (thing,) = compile_objects(backend)
    labels = thing["metadata"]["labels"]
    assert labels["app.kubernetes.io/name"] == "mnist"
    assert labels["app.kubernetes.io/managed-by"] == "trainc"
    (thing,) = compile_objects(backend, {"labels": {"app.kubernetes.io/name": "vision"}})
    assert thing["metadata"]["labels"]["app.kubernetes.io/name"] == "vision"


@pytest.mark.parametrize("backend", NAMES)
@pytest.mark.parametrize(
    "label", ["app.kubernetes.io/name", "app.kubernetes.io/component", "app.kubernetes.io/part-of"]
)
def test_a_common_label_of_the_user_is_the_same_on_the_objects_and_their_pods(backend: str, label: str) -> None:
    """metadata.labels are "for every object and pod", says docs/reference.md."""
    (thing,) = compile_objects(backend, {"labels": {label: "vision"}})
    assert thing["metadata"]["labels"][label] == "vision"
    assert pod_template(thing)["metadata"]["labels"][label] == "vision"
