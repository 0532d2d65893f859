"""What the checks read of a patch is what the manifest has after the merge, which kubectl itself is the test of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import TARGET, container, lowered, objects, pod_template, typed
from trainc.checks.context import RuleContext
from trainc.checks.shared.patched import main_limits, mount_of, mounts
from trainc.systems.registry import backend

VOLUMES = [
    {"name": "models", "mountPath": "/models", "persistentVolumeClaim": {"claimName": "models"}},
    {"name": "cache", "mountPath": "/cache/", "readOnly": True, "emptyDir": {"medium": "Memory"}},
]
RESOURCES = {"gpu": 2, "cpu": 4, "memory": "8Gi"}
MAIN: dict[str, Any] = {"name": "main"}
PATCHES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a volume of its own": {
        "volumes": [{"name": "scratch", "emptyDir": {}}],
        "containers": [{**MAIN, "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]}],
    },
    "another mount at the same path": {
        "volumes": [{"name": "shm", "hostPath": {"path": "/dev/shm"}}],
        "containers": [{**MAIN, "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}],
    },
    "a size for a volume": {"volumes": [{"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}}]},
    "a volume given anew": {"volumes": [{"name": "models", "nfs": {"server": "a", "path": "/b"}}]},
    "a mount that is removed": {
        "containers": [{**MAIN, "volumeMounts": [{"mountPath": "/models", "$patch": "delete"}]}],
    },
    "a mount of another container": {
        "containers": [{"name": "side", "image": "side:1", "volumeMounts": [{"name": "cache", "mountPath": "/x"}]}],
    },
    "limits": {"containers": [{**MAIN, "resources": {"limits": {"memory": "4Gi"}, "requests": {"cpu": "1"}}}]},
}


def context(patch: dict[str, Any]) -> RuleContext:
    fields: dict[str, Any] = {"volumes": VOLUMES, "resources": RESOURCES, "podTemplate": {"spec": patch}}
    return RuleContext(spec=typed(**fields), job=lowered(**fields), backend=backend("job"), target=TARGET)


@pytest.mark.parametrize("name", PATCHES)
def test_mounts_are_those_of_the_manifest(name: str) -> None:
    *_, job = objects("job", volumes=VOLUMES, resources=RESOURCES, podTemplate={"spec": PATCHES[name]})
    sources = {volume.pop("name"): volume for volume in pod_template(job)["spec"]["volumes"]}
    written = {
        (mount["mountPath"].rstrip("/"), mount.get("readOnly", False), str(sources[mount["name"]]))
        for mount in container(job)["volumeMounts"]
    }
    read = mounts(context(PATCHES[name]))
    assert {(one.path, one.read_only, str({one.volume.kind: one.volume.source})) for one in read} == written
    assert len(read) == len(container(job)["volumeMounts"])


@pytest.mark.parametrize("name", PATCHES)
def test_limits_are_those_of_the_manifest(name: str) -> None:
    *_, job = objects("job", volumes=VOLUMES, resources=RESOURCES, podTemplate={"spec": PATCHES[name]})
    assert main_limits(context(PATCHES[name])) == container(job)["resources"]["limits"]


@pytest.mark.parametrize(
    ("path", "volume"),
    [
        ("/models", "models"),
        ("/models/", "models"),
        ("/models/a/b.pt", "models"),
        ("/modelsx", None),
        ("/model", None),
        ("/cache/x", "cache"),
        ("/", None),
    ],
)
def test_a_path_is_on_the_innermost_mount_above_it(path: str, volume: str | None) -> None:
    found = mount_of(path, mounts(context({})))
    assert (found.volume.name if found else None) == volume


def test_only_what_trainc_adds_is_called_its_own() -> None:
    assert [one.path for one in mounts(context({})) if one.by_trainc] == ["/dev/shm"]
    resized = {"volumes": [{"name": "dshm", "emptyDir": {"sizeLimit": "1Gi"}}]}
    assert [one.path for one in mounts(context(resized)) if one.by_trainc] == []
