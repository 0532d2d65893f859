"""`workers` and `elastic` become a minimum, an initial number and a maximum."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job
from trainc.ir.job import Replicas


def replicas(**spec: Any) -> tuple[int, int, int]:
    found = lower_job(**spec).replicas
    return found.minimum, found.initial, found.maximum


def test_a_job_has_one_worker_by_default() -> None:
    assert replicas() == (1, 1, 1)


def test_a_job_without_elastic_has_a_fixed_number() -> None:
    assert replicas(workers=5) == (5, 5, 5)
    assert not lower_job(workers=5).replicas.elastic


def test_workers_is_the_number_that_an_elastic_job_starts_with() -> None:
    assert replicas(workers=3, elastic={"minReplicas": 2, "maxReplicas": 8}) == (2, 3, 8)


def test_an_elastic_job_without_workers_starts_with_its_fewest() -> None:
    assert replicas(elastic={"minReplicas": 2, "maxReplicas": 8}) == (2, 2, 8)


def test_yaml_has_whole_numbers_with_a_point() -> None:
    assert replicas(workers=3.0) == (3, 3, 3)


@pytest.mark.parametrize(("low", "high", "elastic"), [(1, 2, True), (2, 2, False), (1, 1, False)])
def test_a_job_is_elastic_when_its_bounds_differ(low: int, high: int, elastic: bool) -> None:
    assert Replicas(minimum=low, initial=low, maximum=high).elastic is elastic
