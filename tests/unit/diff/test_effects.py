"""Effects that tests/cluster/test_diff.py can't show: of older versions, claims, other objects and checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects
from trainc.diff.jobs import JobDiff, job_diffs

PAUSED: dict[str, Any] = {"workers": 2, "mode": "paused"}
VOLUME = {"volumes": [{"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": "data"}}]}


def diff(system: str, first: dict[str, Any], second: dict[str, Any], minor: int = 36) -> JobDiff:
    (job,) = job_diffs(compile_objects(system, **first), compile_objects(system, **second), minor)
    return job


def outcome(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, list[str]]:
    head = {"apiVersion": "v1", "kind": old.pop("kind", new.get("kind", "")), "metadata": {"name": "a"}}
    (job,) = job_diffs([{**head, **old}], [{**head, **new}], 36)
    (each,) = job.objects
    return each.outcome, [refusal.field for refusal in each.effect.refused]


@pytest.mark.parametrize(
    ("minor", "status", "refused"),
    [
        (36, None, []),
        (35, None, ["spec.template.spec.nodeSelector"]),  # a file doesn't tell whether the Job has run
        (35, {"startTime": "2026-11-22T00:00:00Z"}, ["spec.template.spec.nodeSelector"]),
        (35, {}, []),
    ],
)
def test_nodes_of_a_suspended_job_depend_on_the_version(
    minor: int, status: dict[str, str] | None, refused: list[str]
) -> None:
    """https://kep.k8s.io/5440"""
    old = compile_objects("job", **PAUSED)
    if status is not None:
        old[-1]["status"] = status
    (job,) = job_diffs(old, compile_objects("job", **PAUSED, scheduling={"nodeSelector": {"a": "b"}}), minor)
    assert [each.field for each in job.objects[-1].effect.refused] == refused


SIZE = {"spec": {"resources": {"requests": {"storage": "1Gi"}}}}
LARGER = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
FIELD = "spec.resources.requests.storage"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"kind": "PersistentVolumeClaim", **SIZE}, LARGER, ("in place", [])),
        ({"kind": "PersistentVolumeClaim", **LARGER}, SIZE, ("re-create", [FIELD])),
        ({"kind": "PersistentVolumeClaim", **SIZE, "status": {"phase": "Pending"}}, LARGER, ("re-create", [FIELD])),
        ({"kind": "ConfigMap", "data": {"a": "1"}}, {"data": {"a": "2"}}, ("in place", [])),
        (
            {"kind": "ConfigMap", "data": {"a": "1"}, "immutable": True},
            {"data": {"a": "2"}, "immutable": True},
            ("re-create", ["data.a"]),
        ),
        ({"kind": "Secret", "type": "Opaque"}, {"type": "kubernetes.io/tls"}, ("re-create", ["type"])),
        (
            {"kind": "RoleBinding", "roleRef": {"name": "a"}},
            {"roleRef": {"name": "b"}},
            ("re-create", ["roleRef.name"]),
        ),
        ({"kind": "Service", "spec": {"ports": [{"port": 1}]}}, {"spec": {"ports": [{"port": 2}]}}, ("in place", [])),
    ],
)
def test_objects_without_pods(old: dict[str, Any], new: dict[str, Any], expected: tuple[str, list[str]]) -> None:
    assert outcome(dict(old), {"kind": old["kind"], **new}) == expected


def test_a_claim_is_never_deleted() -> None:
    claim = [{"name": "data", "mountPath": "/data", "claim": {"size": size}} for size in ("2Gi", "1Gi")]
    job = diff("job", {"workers": 2, "volumes": claim[:1]}, {"workers": 2, "volumes": claim[1:]})
    assert [each.outcome for each in job.objects if each.outcome != "nothing"] == ["re-create"]
    assert job.recreate == ()


def test_the_effect_on_other_systems_is_unknown() -> None:
    job = diff("vcjob", {"workers": 2}, {"workers": 2, "image": "b:1"})
    assert (job.training, {each.effect.pods for each in job.objects if each.fields}) == ("unknown", {"unknown"})


@pytest.mark.parametrize(
    ("first", "second", "start"),
    [
        ({}, {}, "scratch"),
        ({"checkpoint": {"path": "/data/a"}}, {"checkpoint": {"path": "/data/a"}}, "checkpoint"),
        ({"checkpoint": {"path": "/data/a"}}, {"checkpoint": {"path": "/data/b"}}, "scratch"),
        ({}, {"checkpoint": {"path": "/data/a"}}, "scratch"),
        ({"checkpoint": {"path": "/data/a"}}, {}, "scratch"),
        ({"env": {"CKPT_DIR": "/data"}}, {"env": {"CKPT_DIR": "/data"}}, "unknown"),
    ],
)
def test_training_starts_from_the_checkpoint_that_both_versions_have(
    first: dict[str, Any], second: dict[str, Any], start: str
) -> None:
    job = diff("job", {**VOLUME, **first}, {**VOLUME, **second, "image": "b:1"})
    assert (job.training, job.start) == ("needs re-creation", start)


def test_jobs_are_matched_by_name_and_namespace() -> None:
    one, other = (compile_objects("job", metadata={"name": name, "namespace": "a"}) for name in ("one", "other"))
    moved = compile_objects("job", metadata={"name": "one", "namespace": "b"})
    jobs = job_diffs([*one, *other], [*moved, *other], 36)
    assert {job.name: job.changes for job in jobs} == {"one": True, "other": False}
    assert {each.outcome for each in jobs[0].objects} == {"created", "deleted"}
