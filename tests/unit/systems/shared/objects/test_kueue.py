"""Kueue's labels and annotations, and the objects that have them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, pod_template
from trainc.systems.registry import NAMES

PREFIX = "kueue.x-k8s.io/"
ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 2, "maxReplicas": 3}}


def marks(thing: dict[str, Any]) -> dict[str, str]:
    """Kueue's labels and annotations of an object, without its prefix."""
    metadata = thing["metadata"]
    both = {**metadata.get("labels", {}), **metadata.get("annotations", {})}
    return {name.removeprefix(PREFIX): value for name, value in both.items() if name.startswith(PREFIX)}


def queued(backend: str, **spec: Any) -> list[dict[str, Any]]:
    return compile_objects(backend, **{"workers": 3, "scheduling": {"queue": "team-a"}, **spec})


@pytest.mark.parametrize("backend", ["job", "statefulset", "pytorchjob"])
def test_only_the_controlling_object_has_the_queue_label(backend: str) -> None:
    *services, workers = queued(backend)
    assert marks(workers) == {"queue-name": "team-a"}
    assert marks(pod_template(workers)) == {}
    assert [marks(service) for service in services] == [{}] * len(services)


def test_pods_are_a_group_with_its_size() -> None:
    pods = [thing for thing in queued("pods") if thing["kind"] == "Pod"]
    group = {"queue-name": "team-a", "pod-group-name": "mnist", "pod-group-total-count": "3"}
    assert [marks(pod) for pod in pods] == [group] * 3


def test_single_pod_has_no_group() -> None:
    (pod,) = queued("pods", workers=1)
    assert marks(pod) == {"queue-name": "team-a"}


def test_elastic_job_is_admitted_partially() -> None:
    job = queued("job", **ELASTIC)[-1]
    partial = {"job-min-parallelism": "2", "job-completions-equal-parallelism": "true"}
    assert marks(job) == {"queue-name": "team-a", **partial}
    assert job["spec"]["parallelism"] == job["spec"]["completions"] == 3


def test_elastic_job_of_one_size_is_admitted_whole() -> None:
    """Kueue's webhook refuses a minimum that is not below the parallelism."""
    job = queued("job", launch={"torchrun": {}}, elastic={"minReplicas": 3, "maxReplicas": 3})[-1]
    assert marks(job) == {"queue-name": "team-a"}


@pytest.mark.parametrize("backend", ["job", "pytorchjob"])
def test_paused_job_is_not_queued(backend: str) -> None:
    assert marks(queued(backend, mode="paused")[-1]) == {}


def test_paused_statefulset_stays_queued() -> None:
    assert marks(queued("statefulset", mode="paused")[-1]) == {"queue-name": "team-a"}


@pytest.mark.parametrize("backend", [name for name in NAMES if name != "deepspeedjob"])  # which Kueue doesn't know
def test_priority_class_is_a_label_next_to_the_queue(backend: str) -> None:
    """Labels of Kueue's pkg/controller/constants; of the pods of a StatefulSet it sets both itself."""
    queue = {"name": "team-a", "priorityClass": "research-high"}
    workers = [thing for thing in queued(backend, scheduling={"queue": queue}) if thing["kind"] != "Service"]
    if backend == "elasticjob":  # which Kueue doesn't know; its Pods it does
        workers = [{"kind": "Pod", **pod_template(thing)} for thing in workers]
    assert workers
    for thing in workers:
        assert marks(thing).items() >= {("queue-name", "team-a"), ("priority-class", "research-high")}
        assert thing is workers[0] or thing["kind"] == "Pod"


def test_queue_without_priority_class() -> None:
    assert queued("job", scheduling={"queue": {"name": "team-a"}}) == queued("job")


def test_paused_job_has_no_priority_class() -> None:
    scheduling = {"queue": {"name": "team-a", "priorityClass": "research-high"}}
    assert marks(queued("job", mode="paused", scheduling=scheduling)[-1]) == {}


@pytest.mark.parametrize("backend", NAMES)
def test_job_without_queue_has_no_kueue_metadata(backend: str) -> None:
    assert [marks(thing) for thing in queued(backend, scheduling={})] == [{}] * len(queued(backend, scheduling={}))
