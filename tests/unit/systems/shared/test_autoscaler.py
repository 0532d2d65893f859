"""Metrics that a HorizontalPodAutoscaler can measure.

Expected values are from replica_calculator.go and horizontal.go of pkg/controller/podautoscaler in
kubernetes/kubernetes.
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.systems.shared.autoscaler import MetricFault, can_scale


def metric(name: str, container: str | None = None, target: str = "Utilization") -> dict[str, Any]:
    kind = "resource" if container is None else "containerResource"
    return {kind: {"name": name, "target": {"type": target}, **({"container": container} if container else {})}}


def pod(init: dict[str, Any] | None = None, **containers: dict[str, str]) -> dict[str, Any]:
    each = [{"name": name, "resources": {"limits": amounts}} for name, amounts in containers.items()]
    return {"containers": each, "initContainers": [init] if init else []}


PODS = {"type": "Pods", "pods": {"metric": {"name": "queue"}}}
SIDECAR = {"name": "log", "restartPolicy": "Always"}


@pytest.mark.parametrize(
    ("metrics", "spec", "measured"),
    [
        ([metric("cpu")], pod(main={"cpu": "1"}), True),
        ([], pod(main={"cpu": "1"}), True),  # the default, cpu
        ([], pod(main={"memory": "1Gi"}), False),
        ([metric("cpu")], pod(main={"memory": "1Gi"}), False),
        ([metric("cpu", target="AverageValue")], pod(main={}), True),  # no percentage of a request
        ([metric("nvidia.com/gpu", target="AverageValue")], pod(main={"nvidia.com/gpu": "1"}), False),
        ([metric("cpu")], pod(main={"cpu": "1"}, log={}), False),  # every container needs the request
        ([metric("cpu")], pod(main={"cpu": "1"}, init=SIDECAR), False),
        ([metric("cpu")], pod(main={"cpu": "1"}, init={"name": "wait"}), True),
        ([metric("cpu", "main")], pod(main={"cpu": "1"}, log={}), True),
        ([metric("cpu", "other")], pod(main={"cpu": "1"}), False),
        ([metric("cpu")], {"resources": {"requests": {"cpu": "1"}}, **pod(main={})}, True),  # requests of the pod
        ([PODS], pod(main={}), True),  # only the cluster knows
        ([metric("cpu"), PODS], pod(main={}), True),  # one is enough to scale up
        ([{"resource": "x"}], {"containers": "y"}, True),
    ],
)
def test_an_autoscaler_scales_if_it_can_measure_a_metric(
    metrics: list[dict[str, Any]], spec: dict[str, Any], measured: bool
) -> None:
    assert can_scale(metrics, spec) is measured


@pytest.mark.parametrize(
    ("resource", "intended"),
    [("cpuyeah", "cpu"), ("CPU", "cpu"), ("mem", "memory"), ("nvidia.com/gpu", None), ("", None)],
)
def test_a_misspelled_resource_means_a_measured_one(resource: str, intended: str | None) -> None:
    assert MetricFault(kind="unserved", resource=resource).intended == intended
