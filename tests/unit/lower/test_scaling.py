"""What changes the number of workers of an elastic job, in autoscaling/v2's own form."""

from __future__ import annotations

from typing import Any

from tests.support.build import lower_job
from trainc.ir.job import Scaling

METRIC = {"type": "Pods", "pods": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": 1}}}


def scaling(**elastic: Any) -> Scaling | None:
    bounds = {"minReplicas": 1, "maxReplicas": 4}
    return lower_job(launch={"torchrun": {}}, elastic={**bounds, **elastic}).scaling


def test_a_job_of_fixed_size_is_not_scaled() -> None:
    assert lower_job(workers=4).scaling is None


def test_without_metrics_it_is_what_autoscaling_v2_assumes_written_out() -> None:
    """https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/: 80 %."""
    found = scaling()
    assert found is not None
    target = {"type": "Utilization", "averageUtilization": 80}
    assert found.metrics == [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
    assert found.behavior is None


def test_metrics_and_behavior_are_passed_as_they_are() -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 600}}
    found = scaling(metrics=[METRIC], behavior=behavior)
    assert found is not None
    assert (found.metrics, found.behavior) == ([METRIC], behavior)


def test_an_empty_list_of_metrics_means_by_hand() -> None:
    assert scaling(metrics=[]) is None


def test_behavior_alone_keeps_the_default_metric() -> None:
    found = scaling(behavior={"scaleUp": {"stabilizationWindowSeconds": 0}})
    assert found is not None
    assert len(found.metrics) == 1
