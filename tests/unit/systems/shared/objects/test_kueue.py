"""What Kueue reads, on the object on which it reads it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import objects, pod_template
from trainc.systems.registry import NAMES

PREFIX = "kueue.x-k8s.io/"
ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 2, "maxReplicas": 3}}


def marks(thing: dict[str, Any]) -> dict[str, str]:
    """Kueue's labels and annotations of an object, without its prefix."""
    metadata = thing["metadata"]
    both = {**metadata.get("labels", {}), **metadata.get("annotations", {})}
    return {name.removeprefix(PREFIX): value for name, value in both.items() if name.startswith(PREFIX)}


def queued(backend: str, **spec: Any) -> list[dict[str, Any]]:
    return objects(backend, **{"workers": 3, "scheduling": {"queue": "team-a"}, **spec})


@pytest.mark.parametrize("backend", ["job", "statefulset", "pytorchjob"])
def test_the_queue_is_a_label_of_the_object_that_makes_the_pods_and_of_nothing_else(backend: str) -> None:
    *services, workers = queued(backend)
    assert marks(workers) == {"queue-name": "team-a"}
    assert marks(pod_template(workers)) == {}
    assert [marks(service) for service in services] == [{}] * len(services)


def test_pods_are_a_group_that_knows_its_size() -> None:
    pods = [thing for thing in queued("pods") if thing["kind"] == "Pod"]
    group = {"queue-name": "team-a", "pod-group-name": "mnist", "pod-group-total-count": "3"}
    assert [marks(pod) for pod in pods] == [group] * 3


def test_a_single_pod_is_no_group() -> None:
    (pod,) = queued("pods", workers=1)
    assert marks(pod) == {"queue-name": "team-a"}


def test_an_elastic_job_may_start_with_its_fewest_workers_and_is_done_when_these_are() -> None:
    job = queued("job", **ELASTIC)[-1]
    partial = {"job-min-parallelism": "2", "job-completions-equal-parallelism": "true"}
    assert marks(job) == {"queue-name": "team-a", **partial}
    assert job["spec"]["parallelism"] == job["spec"]["completions"] == 3


def test_an_elastic_job_of_one_size_has_no_smaller_one() -> None:
    """Kueue's webhook refuses a minimum that is not below the parallelism."""
    job = queued("job", launch={"torchrun": {}}, elastic={"minReplicas": 3, "maxReplicas": 3})[-1]
    assert marks(job) == {"queue-name": "team-a"}


@pytest.mark.parametrize("backend", ["job", "pytorchjob"])
def test_a_paused_job_is_in_no_queue_because_kueue_would_start_it(backend: str) -> None:
    assert marks(queued(backend, mode="paused")[-1]) == {}


def test_a_paused_statefulset_stays_in_its_queue_because_kueue_lets_it_not_out() -> None:
    assert marks(queued("statefulset", mode="paused")[-1]) == {"queue-name": "team-a"}


@pytest.mark.parametrize("backend", [name for name in NAMES if name != "deepspeedjob"])  # which Kueue doesn't know
def test_the_priority_class_stands_beside_the_queue(backend: str) -> None:
    """Labels of Kueue's pkg/controller/constants; of the pods of a StatefulSet it sets both itself."""
    queue = {"name": "team-a", "priorityClass": "research-high"}
    workers = [thing for thing in queued(backend, scheduling={"queue": queue}) if thing["kind"] != "Service"]
    if backend == "elasticjob":  # which Kueue doesn't know; its Pods it does
        workers = [{"kind": "Pod", **pod_template(thing)} for thing in workers]
    assert workers
    for thing in workers:
        assert marks(thing).items() >= {("queue-name", "team-a"), ("priority-class", "research-high")}
        assert thing is workers[0] or thing["kind"] == "Pod"


def test_a_queue_without_a_class_is_the_name_alone() -> None:
    assert queued("job", scheduling={"queue": {"name": "team-a"}}) == queued("job")


def test_a_paused_job_has_no_priority_in_a_queue_it_is_not_in() -> None:
    scheduling = {"queue": {"name": "team-a", "priorityClass": "research-high"}}
    assert marks(queued("job", mode="paused", scheduling=scheduling)[-1]) == {}


@pytest.mark.parametrize("backend", NAMES)
def test_without_a_queue_there_is_nothing_of_kueue(backend: str) -> None:
    assert [marks(thing) for thing in queued(backend, scheduling={})] == [{}] * len(queued(backend, scheduling={}))
