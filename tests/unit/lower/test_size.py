"""Size of a job: `workers` and `elastic`, autoscaling as fields of autoscaling/v2, and requests and limits."""

from __future__ import annotations

from typing import Any

import pytest

import trainc
from tests.support.build import job_text, lower_job, parse_job
from trainc.ir.job import Replicas, Scaling
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


def lower_scaling(**elastic: Any) -> Scaling | None:
    bounds = {"minReplicas": 1, "maxReplicas": 4}
    target = Target(backend="statefulset")
    return lower_job(target=target, launch={"torchrun": {}}, elastic={**bounds, **elastic}).scaling


def test_fixed_size_jobs_are_not_scaled() -> None:
    assert lower_job(workers=4).scaling is None


def test_the_default_metric_is_that_of_autoscaling_v2() -> None:
    """https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/: 80 %."""
    scaling = lower_scaling()
    assert scaling is not None
    target = {"type": "Utilization", "averageUtilization": 80}
    assert scaling.metrics == [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    assert scaling.behavior is None


def test_metrics_and_behavior_are_passed_unchanged() -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 600}}
    scaling = lower_scaling(metrics=[METRIC], behavior=behavior)
    assert scaling is not None
    assert (scaling.metrics, scaling.behavior) == ([METRIC], behavior)


def test_an_empty_list_of_metrics_disables_autoscaling() -> None:
    assert lower_scaling(metrics=[]) is None


def test_behavior_alone_keeps_the_default_metric() -> None:
    scaling = lower_scaling(behavior={"scaleUp": {"stabilizationWindowSeconds": 0}})
    assert scaling is not None
    assert len(scaling.metrics) == 1


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
