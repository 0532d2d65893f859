"""Autoscaling of elastic jobs, as fields of autoscaling/v2."""

from __future__ import annotations

from typing import Any

from tests.support.build import lower_job
from trainc.ir.job import Scaling
from trainc.target import Target

METRIC = {"type": "Pods", "pods": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": 1}}}


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
