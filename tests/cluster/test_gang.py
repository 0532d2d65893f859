"""Kubernetes' own gang scheduling, with its feature gates enabled: all pods of a job or none."""

from __future__ import annotations

import pytest

from tests.cluster.api import Api
from tests.cluster.cluster import wait
from tests.cluster.jobs import TORCHRUN, ClusterJob
from tests.support import build

NODE = {"cpu": 1, "memory": "1Gi", "gpu": 8}  # all GPUs of one of four nodes
pytestmark = pytest.mark.usefixtures("nodes")


@pytest.mark.parametrize("backend", build.NATIVE_BACKENDS)
def test_a_gang_waits_for_room_for_all_its_pods(api: Api, namespace: str, backend: str) -> None:
    other = ClusterJob(api, namespace, "pods", "other")
    other.apply(workers=2, resources=NODE)
    other.wait_for("Running", 2)
    gang = ClusterJob(api, namespace, backend, "gang")
    gang.apply(workers=3, launch=TORCHRUN, resources=NODE, scheduling={"gang": "kubernetes"})
    single = ClusterJob(api, namespace, "pods", "single")
    wait("three pending pods", lambda: gang.phases() == ["Pending"] * 3)
    single.apply(workers=2, resources=NODE)
    single.wait_for("Running", 2)  # the scheduler has run since, with room for two pods of the gang
    assert not [pod for pod in gang.pods() if pod["spec"].get("nodeName")]
    for selector in ("trainc.dev/job=other", "trainc.dev/job=single"):
        api.delete("Pod", namespace, selector=selector)
    gang.wait_for("Running", 3)


def test_without_a_gang_the_pods_that_fit_run(api: Api, namespace: str) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=5, launch=TORCHRUN, resources=NODE)
    job.wait_for("Running", 4)
    assert job.phases().count("Pending") == 1
