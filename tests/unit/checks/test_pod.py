"""Rules read the same pod as the manifest's; tests/unit/emit/test_patch.py compares the merge with kubectl."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import (
    TARGET,
    compile_objects,
    job_text,
    lower_job,
    parse_job,
    pod_template,
    training_container,
)
from tests.support.imports import imported_modules
from trainc.checks.rule import RuleContext
from trainc.lower.job import lower
from trainc.systems.shared.objects.backend import backend

VOLUMES = [
    {"name": "models", "mountPath": "/models", "persistentVolumeClaim": {"claimName": "models"}},
    {"name": "cache", "mountPath": "/cache/", "readOnly": True, "emptyDir": {"medium": "Memory"}},
]
RESOURCES = {"gpu": 2, "cpu": 4, "memory": "8Gi"}
MAIN: dict[str, Any] = {"name": "main"}
PATCHES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "added volume": {
        "volumes": [{"name": "scratch", "emptyDir": {}}],
        "containers": [{**MAIN, "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]}],
    },
    "other volume at the same path": {
        "volumes": [{"name": "shm", "hostPath": {"path": "/dev/shm"}}],
        "containers": [{**MAIN, "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}],
    },
    "size of a volume": {"volumes": [{"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}}]},
    "replaced volume source": {"volumes": [{"name": "models", "nfs": {"server": "a", "path": "/b"}}]},
    "removed mount": {
        "containers": [{**MAIN, "volumeMounts": [{"mountPath": "/models", "$patch": "delete"}]}],
    },
    "mount of another container": {
        "containers": [{"name": "side", "image": "side:1", "volumeMounts": [{"name": "cache", "mountPath": "/x"}]}],
    },
    "limits": {"containers": [{**MAIN, "resources": {"limits": {"memory": "4Gi"}, "requests": {"cpu": "1"}}}]},
}


def context(patch: dict[str, Any]) -> RuleContext:
    fields: dict[str, Any] = {"volumes": VOLUMES, "resources": RESOURCES, "podTemplate": {"spec": patch}}
    return RuleContext(
        spec=parse_job(**fields), job=lower_job(**fields), backend=backend("job"), target=TARGET, lower=lower
    )


@pytest.mark.parametrize("name", PATCHES)
def test_mounts_equal_those_of_the_manifest(name: str) -> None:
    *_, job = compile_objects("job", volumes=VOLUMES, resources=RESOURCES, podTemplate={"spec": PATCHES[name]})
    sources = {volume.pop("name"): volume for volume in pod_template(job)["spec"]["volumes"]}
    emitted = {
        (mount["mountPath"].rstrip("/"), mount.get("readOnly", False), str(sources[mount["name"]]))
        for mount in training_container(job)["volumeMounts"]
    }
    mounts = context(PATCHES[name]).pod.mounts
    assert {(mount.path, mount.read_only, str({mount.volume.kind: mount.volume.source})) for mount in mounts} == emitted
    assert len(mounts) == len(training_container(job)["volumeMounts"])


@pytest.mark.parametrize("name", PATCHES)
def test_limits_equal_those_of_the_manifest(name: str) -> None:
    *_, job = compile_objects("job", volumes=VOLUMES, resources=RESOURCES, podTemplate={"spec": PATCHES[name]})
    assert context(PATCHES[name]).pod.main.limits == training_container(job)["resources"]["limits"]


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
def test_path_is_on_the_innermost_mount(path: str, volume: str | None) -> None:
    mount = context({}).pod.mount_of(path)
    assert (mount.volume.name if mount else None) == volume


def test_volumes_of_trainc_are_marked_unless_patched() -> None:
    assert [mount.path for mount in context({}).pod.mounts if mount.by_trainc] == ["/dev/shm"]
    resized = {"volumes": [{"name": "dshm", "emptyDir": {"sizeLimit": "1Gi"}}]}
    assert [mount.path for mount in context(resized).pod.mounts if mount.by_trainc] == []


def test_patched_values_keep_their_spans() -> None:
    patch = {"containers": [{**MAIN, "env": [{"name": "B", "value": "2"}], "command": ["sleep"]}]}
    source = context(patch).spec.where("podTemplate").source
    [variable] = context(patch).pod.main.user_variables
    assert (variable.name, variable.value) == ("B", "2")
    assert source.line(variable.span.line).strip() == '"name": "B",'
    main = context(patch).pod.main
    assert (main.is_patched("command"), main.is_patched("args")) == (True, False)


def test_a_job_without_pod_template_does_not_import_the_merge() -> None:
    """The rules then read the pod from the IR."""
    program = "import sys, trainc; trainc.compile(sys.stdin.read())"
    job = job_text(volumes=VOLUMES, env={"OMP_NUM_THREADS": "2"})
    (modules,) = imported_modules((program, job))
    assert "trainc.checks.shared.pod" in modules
    assert "trainc.emit.patch" not in modules
