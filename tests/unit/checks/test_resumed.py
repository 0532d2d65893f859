"""What a suspended Job takes. The tables are what an API server of Kubernetes 1.36 answered to `kubectl apply`, and
the same one with the feature gates of 1.35 (MutablePodResourcesForSuspendedJobs and
MutableSchedulingDirectivesForSuspendedJobs off), for a Job that had run before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import text
from trainc.driver import run
from trainc.span import Source
from trainc.target import Target

NODES = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}
PLACEMENT: list[dict[str, Any]] = [
    {"nodeSelector": {"zone": "b"}},
    {"tolerations": [{"operator": "Exists"}]},
    {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": NODES}}},
]
RESOURCES: dict[str, Any] = {"resources": {"cpu": 4, "memory": "32Gi", "gpu": 1}}
FIXED: list[dict[str, Any]] = [
    {"run": {"python": ["train.py", "--resume"]}},
    {"skipInitContainers": True},
    {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}},
]
BEFORE: dict[str, Any] = {
    "launch": {"torchrun": {"nprocPerNode": 1}},
    "sharedMemory": "1Gi",
    "resources": {"cpu": 8, "memory": "64Gi", "gpu": 1},
    "scheduling": {"nodeSelector": {"zone": "a"}},
    "podTemplate": {"spec": {"initContainers": [{"name": "fetch", "image": "fetch:1"}]}},
}


def said(changes: dict[str, Any], minor: int, backend: str = "job", **spec: Any) -> list[str]:
    job = text({"namespace": "research"}, **{**BEFORE, **spec}, mode={"resumed": changes})
    found = run([Source("job.yaml", job)], Target(backend=backend, minor=minor)).diagnostics
    assert {each.severity for each in found} <= {"warning"}
    return [each.code.id for each in found]


@pytest.mark.parametrize("changes", [*PLACEMENT, RESOURCES], ids=str)
def test_kubernetes_1_36_takes_another_placement_and_other_resources(changes: dict[str, Any]) -> None:
    assert said(changes, 36) == []


@pytest.mark.parametrize("changes", [*PLACEMENT, RESOURCES], ids=str)
def test_kubernetes_1_35_takes_neither_of_a_job_that_has_run(changes: dict[str, Any]) -> None:
    assert said(changes, 35) == ["TC4006"]


@pytest.mark.parametrize("minor", [35, 36])
@pytest.mark.parametrize("changes", FIXED, ids=str)
def test_no_kubernetes_takes_the_rest(changes: dict[str, Any], minor: int) -> None:
    assert said(changes, minor) == ["TC4006"]


@pytest.mark.parametrize("backend", ["pods", "statefulset"])
@pytest.mark.parametrize("changes", [*PLACEMENT, RESOURCES, *FIXED], ids=str)
def test_other_back_ends_take_all(changes: dict[str, Any], backend: str) -> None:
    assert said(changes, 33, backend) == []


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"run": {"python": ["train.py"]}},
        {"resources": BEFORE["resources"]},
        {"nodeSelector": {"zone": "a"}},
        {"skipInitContainers": False},
    ],
    ids=str,
)
def test_what_changes_nothing_is_no_change(changes: dict[str, Any]) -> None:
    assert said(changes, 33) == []


def test_without_init_containers_none_are_skipped() -> None:
    assert said({"skipInitContainers": True}, 33, podTemplate={}) == []


def test_what_follows_from_the_resources_is_named() -> None:
    job = text(
        launch={"torchrun": {}}, resources={"gpu": 1, "memory": "64Gi"}, mode={"resumed": {"resources": {"gpu": 2}}}
    )
    (found,) = run([Source("job.yaml", job)], Target(minor=36)).diagnostics
    assert "the environment and the volumes" in found.message
    assert (found.help or "").startswith("give nprocPerNode and sharedMemory, ")
