"""Volumes keep their order and their Kubernetes source; shared memory is added for several processes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job
from trainc.ir.pod import Mount

DATA = {"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": "data"}}


def shared_memory(**spec: Any) -> str | None:
    """Return the size of the volume at /dev/shm, whose kind and mount must match."""
    pod = lower_job(**spec).pod
    mounts = [mount for mount in pod.mounts if mount.path == "/dev/shm" and mount.volume == "dshm"]
    volumes = [volume for volume in pod.volumes if volume.name == "dshm"]
    assert len(mounts) == len(volumes) <= 1
    if not volumes:
        return None
    assert volumes[0].kind == "emptyDir"
    assert volumes[0].source["medium"] == "Memory"
    size: str = volumes[0].source["sizeLimit"]
    return size


@pytest.mark.parametrize(
    ("spec", "size"),
    [
        ({}, None),
        ({"resources": {"cpu": 8, "memory": "64Gi"}}, None),
        ({"resources": {"gpu": 1}}, "8Gi"),
        ({"resources": {"gpu": 1, "memory": "64Gi"}}, "32Gi"),
        ({"resources": {"gpu": 1, "memory": "3Gi"}}, "1536Mi"),
        ({"resources": {"gpu": 1, "memory": "1G"}}, "500000000"),
        ({"resources": {"gpu": 1, "memory": 4096}}, "2Ki"),
        ({"resources": {"gpu": 1, "requests": {"memory": "64Gi"}}}, "8Gi"),
        ({"resources": {"gpu": 1, "requests": {"memory": "1Gi"}, "limits": {"memory": "4Gi"}}}, "2Gi"),
        ({"launch": {"torchrun": {"nprocPerNode": 2}}}, "8Gi"),
        ({"launch": {"torchrun": {"nprocPerNode": 1}}}, None),
        ({"launch": {"torchrun": {"nprocPerNode": "auto"}}}, "8Gi"),
        ({"launch": {"deepspeed": {"slotsPerWorker": 2}}, "resources": {"memory": "4Gi"}}, "2Gi"),
        ({"sharedMemory": "1Gi"}, "1Gi"),
        ({"sharedMemory": "1Gi", "resources": {"gpu": 1, "memory": "64Gi"}}, "1Gi"),
        ({"sharedMemory": 1073741824}, "1073741824"),
        ({"sharedMemory": False, "resources": {"gpu": 8}}, None),
    ],
)
def test_default_shared_memory_is_half_of_the_memory_limit(spec: dict[str, Any], size: str | None) -> None:
    assert shared_memory(**spec) == size


@pytest.mark.parametrize("path", ["/dev/shm", "/dev/shm/"])
def test_a_user_volume_at_dev_shm_replaces_shared_memory(path: str) -> None:
    volume = {"name": "shm", "mountPath": path, "emptyDir": {"medium": "Memory"}}
    pod = lower_job(resources={"gpu": 8}, volumes=[volume]).pod
    assert [mount.volume for mount in pod.mounts] == ["shm"]
    assert [volume.name for volume in pod.volumes] == ["shm"]


def test_volumes_keep_their_order_and_shared_memory_comes_last() -> None:
    other = {"name": "a", "mountPath": "/a", "emptyDir": {}}
    pod = lower_job(volumes=[DATA, other], sharedMemory="1Gi").pod
    assert [volume.name for volume in pod.volumes] == ["data", "a", "dshm"]
    assert [mount.volume for mount in pod.mounts] == ["data", "a", "dshm"]


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("persistentVolumeClaim", {"claimName": "c", "readOnly": True}),
        ("configMap", {"name": "c", "items": [{"key": "k", "path": "p"}]}),
        ("secret", {"secretName": "s"}),
        ("emptyDir", {}),
        ("hostPath", {"path": "/mnt"}),
        ("nfs", {"server": "nfs", "path": "/x"}),
        ("csi", {"driver": "d.example.com"}),
    ],
)
def test_sources_are_passed_unchanged(kind: str, source: dict[str, Any]) -> None:
    (volume,) = lower_job(volumes=[{"name": "v", "mountPath": "/v", kind: source}]).pod.volumes
    assert (volume.kind, volume.source) == (kind, source)


def mount(path: str, sub_path: str | None = None, read_only: bool = False) -> tuple[str, str, str | None, bool]:
    return "data", path, sub_path, read_only


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"mountPath": "/a"}, [mount("/a")]),
        ({"mountPath": "/a", "subPath": "x", "readOnly": True}, [mount("/a", "x", True)]),
        ({"mounts": [{"mountPath": "/a"}, {"mountPath": "/b", "subPath": "x"}]}, [mount("/a"), mount("/b", "x")]),
        ({"mounts": [{"mountPath": "/a", "readOnly": True}]}, [mount("/a", None, True)]),
    ],
)
def test_mounts_of_a_volume(fields: dict[str, Any], expected: list[object]) -> None:
    mounts = lower_job(volumes=[{"name": "data", "emptyDir": {}, **fields}]).pod.mounts
    assert [(m.volume, m.path, m.sub_path, m.read_only) for m in mounts] == expected
    assert all(isinstance(m, Mount) and m.origin is not None for m in mounts)
