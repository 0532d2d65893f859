"""Quantities, resources of a pod, and /dev/shm."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from trainc.plan.pods import create_pods
from trainc.plan.quantity import format_bytes, parse_quantity
from trainc.plan.usage import Usage, pod_usage


@pytest.mark.parametrize(
    ("text", "value"),
    [("100m", Fraction(1, 10)), ("1.5Gi", 1610612736), ("2k", 2000), ("1e3", 1000), (8, 8), ("", 0), ("E", 0)],
)
def test_a_quantity_is_exact(text: Any, value: Fraction) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(1024**3, "1Gi"), (1200 * 1024**3, "1200Gi"), (64 * 1024**2, "64Mi"), (10**9, "953.7Mi"), (0, "–")],
)
def test_bytes_have_the_largest_exact_unit(value: int, text: str) -> None:
    assert format_bytes(Fraction(value)) == text


def usage_of(spec: dict[str, Any]) -> Usage:
    (pod,) = create_pods([{"kind": "Pod", "metadata": {"name": "p-0"}, "spec": spec}])
    return pod_usage(pod, spec["containers"][0])


def cpu_container(cpu: str, **fields: Any) -> dict[str, Any]:
    return {"name": cpu, "resources": {"limits": {"cpu": cpu}}, **fields}


def cpus(containers: list[dict[str, Any]], init_containers: list[dict[str, Any]]) -> Fraction:
    return usage_of({"containers": containers, "initContainers": init_containers}).cpus


def test_an_init_container_counts_if_it_requests_more() -> None:
    containers = [cpu_container("2"), cpu_container("1")]
    assert cpus(containers, [cpu_container("8")]) == 8
    assert cpus(containers, [cpu_container("2")]) == 3


def test_a_sidecar_is_added_to_the_containers() -> None:
    assert cpus([cpu_container("2")], [cpu_container("1", restartPolicy="Always"), cpu_container("2")]) == 3


def test_shm_in_memory_is_limited_by_the_memory_limit() -> None:
    spec: dict[str, Any] = {
        "containers": [
            {
                "resources": {"limits": {"memory": "8Gi"}},
                "volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}],
            }
        ],
        "volumes": [{"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}],
    }
    assert usage_of(spec).shm == 8 * 1024**3
    spec["volumes"][0]["emptyDir"]["sizeLimit"] = "1Gi"
    assert usage_of(spec).shm == 1024**3
    assert usage_of({"hostIPC": True, "containers": [{}]}).shm_source == "of the node"


# The directory /dev/shm of a node is a tmpfs, too, which no sizeLimit of the pod bounds.
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"hostPath": {"path": "/dev/shm"}}, "of the node"),
        ({"hostPath": {"path": "/dev/shm/job"}}, "of the node"),
        ({"hostPath": {"path": "/dev/shmem"}}, "on disk"),
        ({"emptyDir": {}}, "on disk"),
        ({"emptyDir": {"medium": "Memory"}}, "in memory"),
    ],
)
def test_kind_of_the_volume_at_dev_shm(source: dict[str, Any], expected: str) -> None:
    mounts = [{"name": "shm", "mountPath": "/dev/shm/"}]
    usage = usage_of({"containers": [{"volumeMounts": mounts}], "volumes": [{"name": "shm", **source}]})
    assert usage.shm_source == expected


def test_memory_of_a_virtual_gpu_is_not_a_gpu() -> None:
    limits = {"nvidia.com/gpu": "2", "nvidia.com/gpumem": "8000", "nvidia.com/gpucores": "50"}
    usage = usage_of({"containers": [{"resources": {"limits": limits}}]})
    assert usage.gpus == 2
    assert set(usage.others) == {"nvidia.com/gpumem", "nvidia.com/gpucores"}
