"""Changes that a suspended Job accepts.

The tables are the answers of an API server of Kubernetes 1.36 to `kubectl apply`, and of the same server with the
feature gates of 1.35 (MutablePodResourcesForSuspendedJobs and MutableSchedulingDirectivesForSuspendedJobs off), for a
Job that had run before.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_text
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
IMMUTABLE: list[dict[str, Any]] = [
    {"run": {"python": ["train.py", "--resume"]}},
    {"skipInitContainers": True},
    {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}},
]
ORIGINAL: dict[str, Any] = {
    "launch": {"torchrun": {"nprocPerNode": 1}},
    "sharedMemory": "1Gi",
    "resources": {"cpu": 8, "memory": "64Gi", "gpu": 1},
    "scheduling": {"nodeSelector": {"zone": "a"}},
    "podTemplate": {"spec": {"initContainers": [{"name": "fetch", "image": "fetch:1"}]}},
}


def codes(changes: dict[str, Any], minor: int, backend: str = "job", **spec: Any) -> list[str]:
    job = job_text({"namespace": "research"}, **{**ORIGINAL, **spec}, mode={"resumed": changes})
    diagnostics = run([Source("job.yaml", job)], Target(backend=backend, minor=minor)).diagnostics
    assert {diagnostic.severity for diagnostic in diagnostics} <= {"warning"}
    return [diagnostic.code.id for diagnostic in diagnostics]


@pytest.mark.parametrize("changes", [*PLACEMENT, RESOURCES], ids=str)
def test_kubernetes_1_36_accepts_placement_and_resources(changes: dict[str, Any]) -> None:
    assert codes(changes, 36) == []


@pytest.mark.parametrize("changes", [*PLACEMENT, RESOURCES], ids=str)
def test_kubernetes_1_35_rejects_placement_and_resources(changes: dict[str, Any]) -> None:
    assert codes(changes, 35) == ["TC4006"]


@pytest.mark.parametrize("minor", [35, 36])
@pytest.mark.parametrize("changes", IMMUTABLE, ids=str)
def test_every_version_rejects_other_changes(changes: dict[str, Any], minor: int) -> None:
    assert codes(changes, minor) == ["TC4006"]


@pytest.mark.parametrize("backend", ["pods", "statefulset"])
@pytest.mark.parametrize("changes", [*PLACEMENT, RESOURCES, *IMMUTABLE], ids=str)
def test_other_back_ends_accept_all_changes(changes: dict[str, Any], backend: str) -> None:
    assert codes(changes, 33, backend) == []


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"run": {"python": ["train.py"]}},
        {"resources": ORIGINAL["resources"]},
        {"nodeSelector": {"zone": "a"}},
        {"skipInitContainers": False},
    ],
    ids=str,
)
def test_equal_values_are_not_reported(changes: dict[str, Any]) -> None:
    assert codes(changes, 33) == []


@pytest.mark.parametrize("changes", [*IMMUTABLE, {"nodeSelector": {"zone": "b"}}], ids=str)
def test_changes_are_reported_while_the_job_is_paused(changes: dict[str, Any]) -> None:
    job = job_text({"namespace": "research"}, **ORIGINAL, mode={"paused": changes})
    diagnostics = run([Source("job.yaml", job)], Target(minor=35)).diagnostics
    assert [(diagnostic.code.id, diagnostic.severity) for diagnostic in diagnostics] == [("TC4006", "warning")]


def test_skip_init_containers_without_init_containers_is_not_reported() -> None:
    assert codes({"skipInitContainers": True}, 33, podTemplate={}) == []


def test_fields_derived_from_resources_are_named() -> None:
    job = job_text(
        launch={"torchrun": {}}, resources={"gpu": 1, "memory": "64Gi"}, mode={"resumed": {"resources": {"gpu": 2}}}
    )
    (diagnostic,) = run([Source("job.yaml", job)], Target(minor=36)).diagnostics
    assert "the environment and the volumes" in diagnostic.message
    assert (diagnostic.help or "").startswith("set nprocPerNode and sharedMemory ")
