"""Resources become requests and limits by Kubernetes' names, quantities as they were typed."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import job_text, lower_job, parse_job


def both(**resources: Any) -> tuple[dict[str, str], dict[str, str]]:
    pod = lower_job(resources=resources).pod
    return pod.requests, pod.limits


def test_one_value_is_request_and_limit() -> None:
    wanted = {"cpu": "8", "memory": "64Gi", "ephemeral-storage": "1Ti"}
    assert both(cpu=8, memory="64Gi", ephemeralStorage="1Ti") == (wanted, wanted)


def test_requests_and_limits_apart_win_over_the_common_value() -> None:
    requests, limits = both(cpu=8, requests={"cpu": 2}, limits={"memory": "8Gi"})
    assert requests == {"cpu": "2"}
    assert limits == {"cpu": "8", "memory": "8Gi"}


def test_a_gpu_stands_in_both() -> None:
    """https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins"""
    assert both(gpu=2) == ({"nvidia.com/gpu": "2"},) * 2
    assert both(gpu={"count": 1, "resource": "amd.com/gpu"}) == ({"amd.com/gpu": "1"},) * 2


def test_a_shared_gpu_has_memory_and_cores_of_its_own() -> None:
    wanted = {"nvidia.com/gpu": "2", "nvidia.com/gpumem": "3000", "nvidia.com/gpucores": "30"}
    assert both(gpu={"count": 2, "memory": 3000, "cores": 30}) == (wanted, wanted)


def test_no_gpus_are_not_asked_for() -> None:
    assert both(gpu=0) == ({}, {})
    assert both(gpu={"count": 0, "memory": 3000}) == ({}, {})


def test_an_extended_resource_goes_by_its_name() -> None:
    assert both(**{"rdma/hca": 1}) == ({"rdma/hca": "1"},) * 2


@pytest.mark.parametrize("typed_as", ["500m", "0.5", ".5", "5.", "1e3", "1E", "12e-1"])
def test_a_quantity_is_passed_as_it_is_typed(typed_as: str) -> None:
    job = job_text(resources={"cpu": "CPU"}).replace('"CPU"', typed_as)
    (made,) = trainc.compile(job).objects()
    assert made["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] == typed_as


@pytest.mark.parametrize("typed_as", ["0x10", "0o17", "99999999999999999999", "+4"])
@pytest.mark.parametrize("backend", ["pods", "job"])
def test_a_number_that_is_no_quantity_is_refused_or_written_as_one(typed_as: str, backend: str) -> None:
    """What stands in a manifest must be of Kubernetes' own grammar, which has no 0x10; a crash helps nobody."""
    result = trainc.compile(job_text(resources={"cpu": "CPU"}).replace('"CPU"', typed_as), backend=backend)
    if result.ok:
        job = result.objects()[0]
        pod = job if backend == "pods" else job["spec"]["template"]
        cpu = pod["spec"]["containers"][0]["resources"]["limits"]["cpu"]
        assert str(cpu).removeprefix("+").isdecimal()


@pytest.mark.parametrize(
    ("resources", "count"),
    [
        ({}, 0),
        ({"gpu": 8}, 8),
        ({"gpu": {"count": 4, "resource": "amd.com/gpu"}}, 4),
        ({"gpu": {"count": 2, "resource": "vendor.com/accelerator"}}, 2),
        ({"nvidia.com/gpu": 3}, 3),
        ({"limits": {"nvidia.com/gpu": 3}}, 3),
        ({"requests": {"amd.com/gpu": 1}, "limits": {"amd.com/gpu": 1}}, 1),
        ({"nvidia.com/gpumem": 3000}, 0),
        ({"gpu": 0, "cpu": 8}, 0),
    ],
)
def test_gpus_are_counted_however_they_were_asked_for(resources: dict[str, Any], count: int) -> None:
    assert parse_job(resources=resources).resources.gpu_count == count
