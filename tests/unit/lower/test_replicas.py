"""`workers` and `elastic` become a minimum, an initial number and a maximum."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job
from trainc.ir.job import Replicas
from trainc.target import Target

METRIC = {"type": "Pods", "pods": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": 1}}}


def replicas(backend: str = "job", **spec: Any) -> tuple[int, int, int]:
    lowered = lower_job(target=Target(backend=backend), **spec).replicas
    return lowered.minimum, lowered.initial, lowered.maximum


def test_the_default_is_one_worker() -> None:
    assert replicas() == (1, 1, 1)


def test_jobs_without_elastic_have_a_fixed_size() -> None:
    assert replicas(workers=5) == (5, 5, 5)
    assert not lower_job(workers=5).replicas.elastic


def test_workers_is_the_initial_size_of_an_elastic_job() -> None:
    assert replicas(workers=3, elastic={"minReplicas": 2, "maxReplicas": 8}) == (2, 3, 8)


@pytest.mark.parametrize(
    ("backend", "metrics", "initial"),
    [
        ("job", {}, 8),
        ("job", {"metrics": [METRIC]}, 8),  # no autoscaler can scale it
        ("elasticjob", {}, 8),
        ("statefulset", {}, 2),
        ("statefulset", {"metrics": []}, 8),
        ("pytorchjob", {}, 8),
        ("pytorchjob", {"metrics": [METRIC]}, 2),
    ],
)
def test_elastic_jobs_without_workers_start_at_the_minimum_of_their_autoscaler(
    backend: str, metrics: dict[str, Any], initial: int
) -> None:
    assert replicas(backend, elastic={"minReplicas": 2, "maxReplicas": 8, **metrics}) == (2, initial, 8)


def test_pods_that_only_wait_have_no_autoscaler() -> None:
    assert replicas("statefulset", mode="debug", elastic={"minReplicas": 2, "maxReplicas": 8}) == (2, 8, 8)


def test_floats_without_a_fraction_are_integers() -> None:
    assert replicas(workers=3.0) == (3, 3, 3)


@pytest.mark.parametrize(("low", "high", "elastic"), [(1, 2, True), (2, 2, False), (1, 1, False)])
def test_jobs_are_elastic_if_their_bounds_differ(low: int, high: int, elastic: bool) -> None:
    assert Replicas(minimum=low, initial=low, maximum=high).elastic is elastic
