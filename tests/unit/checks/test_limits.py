"""Rules with a numeric limit: values on both sides of it, computed by hand."""

from __future__ import annotations

import base64
import json
from bisect import bisect_right
from typing import Any

import pytest

import trainc
from tests.support.build import job_text

TORCHRUN: dict[str, Any] = {"torchrun": {}}


def errors(
    metadata: dict[str, Any] | None = None, backend: str = "job", version: str = "1.33", **spec: Any
) -> list[str]:
    """Return the codes of the errors."""
    result = trainc.compile(job_text(metadata, **spec), backend=backend, kubernetes_version=version)
    return [diagnostic.code.id for diagnostic in result.diagnostics if diagnostic.severity == "error"]


def warnings(backend: str, version: str, **spec: Any) -> list[str]:
    result = trainc.compile(job_text(**spec), backend=backend, kubernetes_version=version)
    return [diagnostic.code.id for diagnostic in result.diagnostics if diagnostic.severity == "warning"]


@pytest.mark.parametrize(
    ("backend", "workers", "longest"),
    [
        # A pod's hostname, the job's name, a dash and the last number, is a label of DNS: 63 characters.
        ("job", 1, 61),
        ("job", 10, 61),
        ("job", 11, 60),
        ("job", 100, 60),
        ("job", 101, 59),
        ("pods", 2, 61),
        ("pods", 11, 60),
        # controller-revision-hash, a label: the set's name, a dash and ten characters.
        ("statefulset", 1, 52),
        ("statefulset", 1000, 52),
        # The operator's pods and Services: the job's name, -worker- and the last number.
        ("pytorchjob", 1, 54),
        ("pytorchjob", 11, 53),
        ("elasticjob", 1, 54),
        ("elasticjob", 11, 53),
    ],
)
def test_longest_name_by_the_last_pod(backend: str, workers: int, longest: int) -> None:
    assert errors({"name": "a" * longest}, backend, workers=workers) == []
    assert errors({"name": "a" * (longest + 1)}, backend, workers=workers) == ["TC3001"]


def test_longest_name_of_an_elastic_job() -> None:
    elastic: dict[str, Any] = {"launch": TORCHRUN, "elastic": {"minReplicas": 1, "maxReplicas": 11}}
    assert errors({"name": "a" * 60}, **elastic) == []
    assert errors({"name": "a" * 61}, **elastic) == ["TC3001"]


@pytest.mark.parametrize(
    ("workers", "low", "high", "expected"),
    [
        (2, 2, 4, []),
        (4, 2, 4, []),
        (1, 2, 4, ["TC3003"]),
        (5, 2, 4, ["TC3003"]),
        (None, 2, 2, []),
        (None, 3, 2, ["TC3003"]),
    ],
)
def test_elastic_bounds(workers: int | None, low: int, high: int, expected: list[str]) -> None:
    spec: dict[str, Any] = {} if workers is None else {"workers": workers}
    assert errors(launch=TORCHRUN, elastic={"minReplicas": low, "maxReplicas": high}, **spec) == expected


def world_info_length(workers: int) -> int:
    """Return the length of --world_info=… in bytes, for a job named mnist with one process per pod."""
    hosts = {f"mnist-{index}": [0] for index in range(workers)}
    return len("--world_info=") + len(base64.b64encode(json.dumps(hosts, separators=(",", ":")).encode()))


def test_longest_world_of_deepspeed() -> None:
    # MAX_ARG_STRLEN is 32 pages of 4096 bytes, and one byte is the NUL.
    longest = 32 * 4096 - 1
    max_workers = bisect_right(range(10_000), longest, key=world_info_length) - 1
    assert world_info_length(max_workers) <= longest < world_info_length(max_workers + 1)
    assert errors(launch={"deepspeed": {}}, workers=max_workers) == []
    assert errors(launch={"deepspeed": {}}, workers=max_workers + 1) == ["TC3016"]


@pytest.mark.parametrize(
    ("resource", "container_request", "limit", "expected"),
    [
        ("cpu", "1", "1000m", []),
        ("cpu", "1001m", "1", ["TC3015"]),
        ("cpu", ".5", "500m", []),
        ("memory", "1Gi", "1073741824", []),
        ("memory", "1Gi", "1073741823", ["TC3015"]),
        ("memory", "1e9", "1G", []),
        ("memory", "1G", "1Gi", []),
        ("memory", "1Gi", "1G", ["TC3015"]),
    ],
)
def test_request_and_limit(resource: str, container_request: str, limit: str, expected: list[str]) -> None:
    assert errors(resources={"requests": {resource: container_request}, "limits": {resource: limit}}) == expected


@pytest.mark.parametrize(
    ("size", "limit", "expected"),
    [("1023Mi", "1Gi", []), ("1Gi", "1Gi", []), ("1025Mi", "1Gi", ["TC3012"]), ("1G", "1Gi", [])],
)
def test_shared_memory_and_memory_limit(size: str, limit: str, expected: list[str]) -> None:
    assert errors(sharedMemory=size, resources={"memory": limit}) == expected


@pytest.mark.parametrize(
    ("version", "expected"), [("1.29", ["TC4004"]), ("1.30", ["TC4004"]), ("1.31", []), ("1.37", [])]
)
def test_success_policy_needs_kubernetes_1_31(version: str, expected: list[str]) -> None:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy"""
    assert warnings("job", version, lifecycle={"successPolicy": "Leader"}, workers=2) == expected
    program = {"python": ["train.py", "--resume"]}
    elastic = {"minReplicas": 1, "maxReplicas": 2}
    assert warnings("job", version, launch=TORCHRUN, run=program, elastic=elastic) == expected
    assert warnings("job", version, lifecycle={"successPolicy": "All"}, workers=2) == []


@pytest.mark.parametrize(("restarts", "warned"), [(0, True), (5, True), (6, False)])
def test_restarts_cover_scale_downs(restarts: int, warned: bool) -> None:
    launch = {"torchrun": {"maxRestarts": restarts}}
    spec: dict[str, Any] = {"launch": launch, "elastic": {"minReplicas": 2, "maxReplicas": 8, "metrics": []}}
    assert ("TC4008" in warnings("statefulset", "1.33", **spec)) == warned
    assert "TC4008" not in warnings("job", "1.33", **spec)
    assert "TC4008" not in warnings("statefulset", "1.33", launch=launch, workers=8)
