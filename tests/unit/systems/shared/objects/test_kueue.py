"""Objects with Kueue's labels and annotations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, pod_template
from trainc.systems.registry import NAMES

UNKNOWN_TO_KUEUE = ("deepspeedjob", "vcjob")
PREFIX = "kueue.x-k8s.io/"
ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 2, "maxReplicas": 3}}


def kueue_metadata(resource: dict[str, Any]) -> dict[str, str]:
    """Return Kueue's labels and annotations of an object, without the prefix."""
    metadata = resource["metadata"]
    combined = {**metadata.get("labels", {}), **metadata.get("annotations", {})}
    return {name.removeprefix(PREFIX): value for name, value in combined.items() if name.startswith(PREFIX)}


def compile_queued(backend: str, **spec: Any) -> list[dict[str, Any]]:
    return compile_objects(backend, **{"workers": 3, "scheduling": {"queue": "team-a"}, **spec})


@pytest.mark.parametrize("backend", ["job", "statefulset", "pytorchjob"])
def test_only_the_controlling_object_has_the_queue_label(backend: str) -> None:
    *services, workers = compile_queued(backend)
    assert kueue_metadata(workers) == {"queue-name": "team-a"}
    assert kueue_metadata(pod_template(workers)) == {}
    assert [kueue_metadata(service) for service in services] == [{}] * len(services)


def test_pods_are_a_group_with_its_size() -> None:
    pods = [resource for resource in compile_queued("pods") if resource["kind"] == "Pod"]
    group = {"queue-name": "team-a", "pod-group-name": "mnist", "pod-group-total-count": "3"}
    assert [kueue_metadata(pod) for pod in pods] == [group] * 3


def test_single_pod_has_no_group() -> None:
    (pod,) = compile_queued("pods", workers=1)
    assert kueue_metadata(pod) == {"queue-name": "team-a"}


def test_elastic_job_is_admitted_partially() -> None:
    job = compile_queued("job", **ELASTIC)[-1]
    partial = {"job-min-parallelism": "2", "job-completions-equal-parallelism": "true"}
    assert kueue_metadata(job) == {"queue-name": "team-a", **partial}
    assert job["spec"]["parallelism"] == job["spec"]["completions"] == 3


@pytest.mark.parametrize("high", [3, 4])
def test_elastic_job_that_starts_with_its_minimum_is_admitted_whole(high: int) -> None:
    """Kueue's webhook rejects a minimum that is not below the parallelism."""
    job = compile_queued("job", launch={"torchrun": {}}, elastic={"minReplicas": 3, "maxReplicas": high})[-1]
    assert kueue_metadata(job) == {"queue-name": "team-a"}


def test_group_of_elastic_pods_has_its_first_size() -> None:
    *_, pod = compile_queued("pods", launch={"torchrun": {}}, elastic={"minReplicas": 2, "maxReplicas": 8})
    assert kueue_metadata(pod)["pod-group-total-count"] == "3"


@pytest.mark.parametrize("backend", ["job", "pytorchjob"])
def test_paused_job_is_not_queued(backend: str) -> None:
    assert kueue_metadata(compile_queued(backend, mode="paused")[-1]) == {}


def test_paused_statefulset_stays_queued() -> None:
    assert kueue_metadata(compile_queued("statefulset", mode="paused")[-1]) == {"queue-name": "team-a"}


@pytest.mark.parametrize("backend", [name for name in NAMES if name not in UNKNOWN_TO_KUEUE])
def test_priority_class_is_a_label_next_to_the_queue(backend: str) -> None:
    """Kueue's pkg/controller/constants; on the pods of a StatefulSet Kueue sets both labels."""
    queue = {"name": "team-a", "priorityClass": "research-high"}
    workers = [
        resource
        for resource in compile_queued(backend, scheduling={"queue": queue})
        if resource["kind"] not in ("Service", "TrainingRuntime")
    ]
    if backend == "elasticjob":  # unknown to Kueue; its Pods it does
        workers = [{"kind": "Pod", **pod_template(resource)} for resource in workers]
    assert workers
    for resource in workers:
        assert kueue_metadata(resource).items() >= {("queue-name", "team-a"), ("priority-class", "research-high")}
        assert resource is workers[0] or resource["kind"] == "Pod"


def test_queue_without_priority_class() -> None:
    assert compile_queued("job", scheduling={"queue": {"name": "team-a"}}) == compile_queued("job")


def test_paused_job_has_no_priority_class() -> None:
    scheduling = {"queue": {"name": "team-a", "priorityClass": "research-high"}}
    assert kueue_metadata(compile_queued("job", mode="paused", scheduling=scheduling)[-1]) == {}


@pytest.mark.parametrize("backend", NAMES)
def test_job_without_queue_has_no_kueue_metadata(backend: str) -> None:
    assert [kueue_metadata(resource) for resource in compile_queued(backend, scheduling={})] == [{}] * len(
        compile_queued(backend, scheduling={})
    )
