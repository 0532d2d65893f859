"""The autoscaler of an elastic StatefulSet, with simulated metrics."""

from __future__ import annotations

import pytest

from tests.cluster.api import Api
from tests.cluster.cluster import true_condition, wait
from tests.cluster.jobs import SMALL, TORCHRUN, ClusterJob
from tests.cluster.metrics import SCALED, Metrics

pytestmark = pytest.mark.usefixtures("nodes")
QUICK = {"scaleDown": {"stabilizationWindowSeconds": 0}}


def apply_elastic_statefulset(api: Api, namespace: str, behavior: object) -> ClusterJob:
    """Apply a StatefulSet of two to four workers with one CPU each and a target utilization of 50 %."""
    job = ClusterJob(api, namespace, "statefulset")
    elastic = {**SCALED, **({"behavior": behavior} if behavior else {})}
    job.apply(workers=2, launch=TORCHRUN, resources=SMALL, elastic=elastic)
    return job


def test_the_autoscaler_scales_an_elastic_statefulset_within_its_bounds(
    api: Api, load: Metrics, namespace: str
) -> None:
    load.cpu[namespace] = 500
    job = apply_elastic_statefulset(api, namespace, QUICK)
    job.wait_for("Running", 2)
    load.cpu[namespace] = 750  # 1.5 times the target, so 1.5 times the pods
    job.wait_for("Running", 3)
    load.cpu[namespace] = 1000_000
    job.wait_for("Running", 4)
    scaler = wait(
        "limit", lambda: true_condition(api.get("HorizontalPodAutoscaler", namespace, job.name), "ScalingLimited")
    )
    assert scaler["reason"] == "TooManyReplicas"
    load.cpu[namespace] = 0
    job.wait_for("Running", 2)
    assert len(job.pods()) == 2


def test_applying_an_elastic_statefulset_again_keeps_the_autoscalers_replicas(
    api: Api, load: Metrics, namespace: str
) -> None:
    load.cpu[namespace] = 1000
    job = apply_elastic_statefulset(api, namespace, QUICK)
    job.wait_for("Running", 4)
    apply_elastic_statefulset(api, namespace, QUICK)
    assert api.get("StatefulSet", namespace, job.name)["spec"]["replicas"] == 4
