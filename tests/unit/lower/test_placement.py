"""Placement of workers: spot nodes, one worker per node, and topology."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, lower_job, pod_template, workers_of
from trainc.systems.registry import NAMES

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
JOB_LABELS = {"matchLabels": {"trainc.dev/job": "mnist", "trainc.dev/role": "worker"}}
ANTI_AFFINITY = {"labelSelector": JOB_LABELS, "topologyKey": "kubernetes.io/hostname"}
AFFINITY = {"labelSelector": JOB_LABELS, "topologyKey": "zone"}
OTHER_AFFINITY = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone"}


def affinity(backend: str = "job", workers: int = 2, **scheduling: Any) -> Any:
    resource = workers_of(compile_objects(backend, workers=workers, scheduling=scheduling))
    return pod_template(resource)["spec"].get("affinity")


@pytest.mark.parametrize(
    ("provider", "label", "tainted"),
    [
        ("gke", {"cloud.google.com/gke-spot": "true"}, True),
        ("eks", {"eks.amazonaws.com/capacityType": "SPOT"}, False),
        ("karpenter", {"karpenter.sh/capacity-type": "spot"}, False),
        ("aks", {"kubernetes.azure.com/scalesetpriority": "spot"}, True),
    ],
)
def test_spot_nodes_are_selected_and_their_taints_tolerated(
    provider: str, label: dict[str, str], tainted: bool
) -> None:
    placement = lower_job(scheduling={"spot": provider}).pod.placement
    assert placement.node_selector == label
    ((key, value),) = label.items()
    taint = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    assert placement.tolerations == ([taint] if tainted else [])


def test_spot_is_merged_with_the_users_scheduling_without_duplicates() -> None:
    gpu = {"key": "nvidia.com/gpu", "operator": "Exists"}
    spot = {
        "key": "kubernetes.azure.com/scalesetpriority",
        "operator": "Equal",
        "value": "spot",
        "effect": "NoSchedule",
    }
    scheduling = {"spot": "aks", "nodeSelector": {"disk": "ssd"}, "tolerations": [gpu, spot]}
    placement = lower_job(scheduling=scheduling).pod.placement
    assert placement.node_selector == {"disk": "ssd", "kubernetes.azure.com/scalesetpriority": "spot"}
    assert placement.tolerations == [gpu, spot]


@pytest.mark.parametrize("backend", NAMES)
def test_one_worker_per_node_is_anti_affinity_to_the_jobs_labels(backend: str) -> None:
    assert affinity(backend, oneWorkerPerNode=True) == {"podAntiAffinity": {REQUIRED: [ANTI_AFFINITY]}}


@pytest.mark.parametrize("key", ["zone", {"key": "zone"}, {"key": "zone", "required": True}])
def test_topology_key_is_required_by_default(key: Any) -> None:
    assert affinity(topologyKey=key) == {"podAffinity": {REQUIRED: [AFFINITY]}}


def test_topology_key_can_be_preferred() -> None:
    preference = {"weight": 100, "podAffinityTerm": AFFINITY}
    assert affinity(topologyKey={"key": "zone", "required": False}) == {"podAffinity": {PREFERRED: [preference]}}


def test_user_affinity_is_kept_and_first() -> None:
    user_affinity = {
        "nodeAffinity": {},
        "podAntiAffinity": {REQUIRED: [OTHER_AFFINITY], PREFERRED: []},
        "podAffinity": {},
    }
    merged = affinity(affinity=user_affinity, oneWorkerPerNode=True, topologyKey="zone")
    assert merged["podAntiAffinity"] == {REQUIRED: [OTHER_AFFINITY, ANTI_AFFINITY], PREFERRED: []}
    assert merged["podAffinity"] == {REQUIRED: [AFFINITY]}
    assert merged["nodeAffinity"] == {}


def test_single_workers_have_no_affinity() -> None:
    assert affinity(workers=1, oneWorkerPerNode=True) is None
    assert affinity(oneWorkerPerNode=False) is None
