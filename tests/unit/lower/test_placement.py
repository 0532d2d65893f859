"""Which nodes the workers run on: spot nodes, apart, and together."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, lower_job, pod_template
from trainc.systems.registry import NAMES

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
MINE = {"matchLabels": {"trainc.dev/job": "mnist", "trainc.dev/role": "worker"}}
APART = {"labelSelector": MINE, "topologyKey": "kubernetes.io/hostname"}
NEAR = {"labelSelector": MINE, "topologyKey": "zone"}
OTHERS = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone"}


def affinity(backend: str = "job", workers: int = 2, **scheduling: Any) -> Any:
    made = compile_objects(backend, workers=workers, scheduling=scheduling)[-1]
    return pod_template(made)["spec"].get("affinity")


@pytest.mark.parametrize(
    ("provider", "label", "tainted"),
    [
        ("gke", {"cloud.google.com/gke-spot": "true"}, True),
        ("eks", {"eks.amazonaws.com/capacityType": "SPOT"}, False),
        ("karpenter", {"karpenter.sh/capacity-type": "spot"}, False),
        ("aks", {"kubernetes.azure.com/scalesetpriority": "spot"}, True),
    ],
)
def test_spot_nodes_are_selected_and_their_taint_is_tolerated(
    provider: str, label: dict[str, str], tainted: bool
) -> None:
    place = lower_job(scheduling={"spot": provider}).pod.placement
    assert place.node_selector == label
    ((key, value),) = label.items()
    taint = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    assert place.tolerations == ([taint] if tainted else [])


def test_spot_stands_beside_what_the_user_wrote_and_is_not_said_twice() -> None:
    gpu = {"key": "nvidia.com/gpu", "operator": "Exists"}
    spot = {
        "key": "kubernetes.azure.com/scalesetpriority",
        "operator": "Equal",
        "value": "spot",
        "effect": "NoSchedule",
    }
    given = {"spot": "aks", "nodeSelector": {"disk": "ssd"}, "tolerations": [gpu, spot]}
    place = lower_job(scheduling=given).pod.placement
    assert place.node_selector == {"disk": "ssd", "kubernetes.azure.com/scalesetpriority": "spot"}
    assert place.tolerations == [gpu, spot]


@pytest.mark.parametrize("backend", NAMES)
def test_workers_apart_are_kept_so_by_the_jobs_own_labels(backend: str) -> None:
    assert affinity(backend, oneWorkerPerNode=True) == {"podAntiAffinity": {REQUIRED: [APART]}}


@pytest.mark.parametrize("key", ["zone", {"key": "zone"}, {"key": "zone", "required": True}])
def test_workers_together_must_be(key: Any) -> None:
    assert affinity(topologyKey=key) == {"podAffinity": {REQUIRED: [NEAR]}}


def test_workers_together_may_only_be_wished_for() -> None:
    wish = {"weight": 100, "podAffinityTerm": NEAR}
    assert affinity(topologyKey={"key": "zone", "required": False}) == {"podAffinity": {PREFERRED: [wish]}}


def test_the_users_rules_stay_and_come_first() -> None:
    own = {"nodeAffinity": {}, "podAntiAffinity": {REQUIRED: [OTHERS], PREFERRED: []}, "podAffinity": {}}
    found = affinity(affinity=own, oneWorkerPerNode=True, topologyKey="zone")
    assert found["podAntiAffinity"] == {REQUIRED: [OTHERS, APART], PREFERRED: []}
    assert found["podAffinity"] == {REQUIRED: [NEAR]}
    assert found["nodeAffinity"] == {}


def test_a_single_worker_has_no_others() -> None:
    assert affinity(workers=1, oneWorkerPerNode=True) is None
    assert affinity(oneWorkerPerNode=False) is None
