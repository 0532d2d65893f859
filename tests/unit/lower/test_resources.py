"""Resources become requests and limits with Kubernetes' names and unchanged quantities."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import job_text, lower_job, parse_job


def requests_and_limits(**resources: Any) -> tuple[dict[str, str], dict[str, str]]:
    pod = lower_job(resources=resources).pod
    return pod.requests, pod.limits


def test_a_common_value_is_request_and_limit() -> None:
    expected = {"cpu": "8", "memory": "64Gi", "ephemeral-storage": "1Ti"}
    assert requests_and_limits(cpu=8, memory="64Gi", ephemeralStorage="1Ti") == (expected, expected)


def test_requests_and_limits_override_the_common_value() -> None:
    requests, limits = requests_and_limits(cpu=8, requests={"cpu": 2}, limits={"memory": "8Gi"})
    assert requests == {"cpu": "2"}
    assert limits == {"cpu": "8", "memory": "8Gi"}


def test_gpus_are_request_and_limit() -> None:
    """https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/#using-device-plugins"""
    assert requests_and_limits(gpu=2) == ({"nvidia.com/gpu": "2"},) * 2
    assert requests_and_limits(gpu={"count": 1, "resource": "amd.com/gpu"}) == ({"amd.com/gpu": "1"},) * 2


def test_shared_gpus_have_memory_and_cores() -> None:
    expected = {"nvidia.com/gpu": "2", "nvidia.com/gpumem": "3000", "nvidia.com/gpucores": "30"}
    assert requests_and_limits(gpu={"count": 2, "memory": 3000, "cores": 30}) == (expected, expected)


def test_zero_gpus_are_not_requested() -> None:
    assert requests_and_limits(gpu=0) == ({}, {})
    assert requests_and_limits(gpu={"count": 0, "memory": 3000}) == ({}, {})


def test_extended_resources_have_their_name() -> None:
    assert requests_and_limits(**{"rdma/hca": 1}) == ({"rdma/hca": "1"},) * 2


@pytest.mark.parametrize("quantity", ["500m", "0.5", ".5", "5.", "1e3", "1E", "12e-1"])
def test_quantities_are_passed_unchanged(quantity: str) -> None:
    job = job_text(resources={"cpu": "CPU"}).replace('"CPU"', quantity)
    (resource,) = trainc.compile(job).objects()
    assert resource["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] == quantity


@pytest.mark.parametrize("quantity", ["0x10", "0o17", "99999999999999999999", "+4"])
@pytest.mark.parametrize("backend", ["pods", "job"])
def test_numbers_that_are_not_quantities_are_rejected_or_converted(quantity: str, backend: str) -> None:
    """Kubernetes' quantities have no 0x10."""
    result = trainc.compile(job_text(resources={"cpu": "CPU"}).replace('"CPU"', quantity), backend=backend)
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
def test_gpu_count(resources: dict[str, Any], count: int) -> None:
    assert parse_job(resources=resources).resources.gpu_count == count
