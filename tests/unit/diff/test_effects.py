"""Effects that tests/cluster/test_diff.py can't show: of older versions, claims, other objects and checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects
from trainc.diff.jobs import JobDiff, job_diffs
from trainc.target import Target

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


JOB: dict[str, Any] = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "a"}}
RESTART = {"policies": [{"event": "PodEvicted", "action": "RestartJob"}]}


def volcano(tasks: list[dict[str, Any]], **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "image:1", "command": ["train"]}
    template = {"spec": {"containers": [container]}}
    named = [{"name": f"t{index}", "maxRetry": 3, "template": template, **each} for index, each in enumerate(tasks)]
    return {**JOB, "spec": {"tasks": named, **spec}}


@pytest.mark.parametrize(
    ("old", "new", "outcome", "pods"),
    [
        (volcano([{"replicas": 2}], minAvailable=1), volcano([{"replicas": 3}], minAvailable=1), "in place", "added"),
        (volcano([{"replicas": 2}], minAvailable=1), volcano([{"replicas": 1}], minAvailable=1), "in place", "removed"),
        (
            volcano([{"replicas": 2}], minAvailable=1, **RESTART),
            volcano([{"replicas": 1}], minAvailable=1, **RESTART),
            "rolling",
            "replaced",
        ),
        (volcano([{"replicas": 2}]), volcano([{"replicas": 1}]), "re-create", "kept"),  # minAvailable stays 2
        (volcano([{"replicas": 2}]), volcano([{"replicas": 2}], priorityClassName="high"), "in place", "kept"),
        (volcano([{"replicas": 2}]), volcano([{"replicas": 2}], maxRetry=9), "re-create", "kept"),
        (volcano([{"replicas": 2}]), volcano([{"replicas": 2}, {"replicas": 1}]), "re-create", "kept"),
        (  # https://github.com/volcano-sh/volcano/issues/2238
            volcano([{"replicas": 2, "maxRetry": None}]),
            volcano([{"replicas": 3, "maxRetry": None}]),
            "re-create",
            "kept",
        ),
    ],
)
def test_jobs_of_volcano(old: dict[str, Any], new: dict[str, Any], outcome: str, pods: str) -> None:
    """validateJobUpdate, mutateSpec and applyPolicies of Volcano 1.15.1"""
    (job,) = job_diffs([old], [new], 36)
    assert [(each.outcome, each.effect.pods) for each in job.objects] == [(outcome, pods)]


def test_a_job_of_volcano_can_be_applied_again() -> None:
    """The webhook sets maxRetry of tasks without it, and then refuses those of the manifest."""
    tasks = compile_objects("vcjob", workers=2)[-1]["spec"]["tasks"]
    assert [task["maxRetry"] for task in tasks] == [3]


@pytest.mark.parametrize(
    ("first", "second", "training", "pending"),
    [
        ({"workers": 2}, {"workers": 3}, "continues", True),  # new pods have --nnodes=3:3
        ({"workers": 2}, {"workers": 1}, "fails", True),
        ({"elastic": {"minReplicas": 1, "maxReplicas": 4}, "workers": 2}, {"workers": 3}, "restarts", False),
        ({"workers": 2}, {"image": "b:1"}, "continues", True),
    ],
)
def test_elastic_jobs(first: dict[str, Any], second: dict[str, Any], training: str, pending: bool) -> None:
    """ReconcilePods of kubeflow/common at 0b3a4c3fca85"""
    launch: dict[str, Any] = {"launch": {"torchrun": {}}}
    job = diff("elasticjob", {**launch, **first}, {**launch, **first, **second})
    assert (job.training, job.is_pending) == (training, pending)


DEEPSPEED: dict[str, Any] = {"launch": {"deepspeed": {"transport": "ssh"}}, "workers": 2}


@pytest.mark.parametrize(
    ("first", "second", "training"),
    [
        ({}, {"mode": "paused"}, "stops"),
        ({"mode": "paused"}, {"mode": "run"}, "starts"),
        ({"mode": "paused"}, {"mode": {"paused": {"command": ["sh"]}}}, "needs re-creation"),
        ({}, {"image": "b:1"}, "unknown"),
    ],
)
def test_deepspeed_jobs_change_as_documented(first: dict[str, Any], second: dict[str, Any], training: str) -> None:
    """resumeSpecs can't change; about other fields T9k's documents say nothing."""
    job = diff("deepspeedjob", {**DEEPSPEED, **first}, {**DEEPSPEED, **first, **second})
    assert job.training == training
    assert bool(job.recreate) == (training not in ("stops", "starts"))


def test_another_size_of_a_paused_deepspeed_job_adds_no_pods() -> None:
    head = {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "DeepSpeedJob", "metadata": {"name": "a"}}
    paused = {"runMode": {"pause": {"enabled": True}}}
    old, new = ({**head, "spec": {**paused, "elastic": {"enabled": True, "expectedReplicas": size}}} for size in (2, 3))
    (job,) = job_diffs([old], [new], 36)
    assert [each.effect.pods for each in job.objects] == ["kept"]


@pytest.mark.parametrize(
    ("old", "new", "resource"),
    [
        ("trainjob", "jobset", "trainjob.trainer.kubeflow.org"),
        ("vcjob", "job", "job.batch.volcano.sh"),
        ("job", "vcjob", "job"),
    ],
)
def test_a_job_that_moves_to_another_system_runs_twice_unless_it_is_deleted(old: str, new: str, resource: str) -> None:
    (job,) = job_diffs(compile_objects(old, workers=2), compile_objects(new, workers=2), 36)
    (name,) = job.recreate
    assert (job.training, name) == ("moves", f"{resource}/mnist")
    assert name not in job.left


QUEUE: dict[str, Any] = {"workers": 2, "scheduling": {"queue": "team-a"}}


@pytest.mark.parametrize(
    ("system", "first", "second", "refused"),
    [
        ("job", {"workers": 2}, QUEUE, ["metadata.labels[kueue.x-k8s.io/queue-name]"]),
        ("job", PAUSED, {**QUEUE, "mode": "paused"}, []),
        ("pytorchjob", PAUSED, {**QUEUE, "mode": "paused"}, []),
        ("statefulset", QUEUE, {**QUEUE, "workers": 3}, ["spec.replicas"]),
        ("statefulset", PAUSED, {**QUEUE, "mode": "paused"}, []),
    ],
)
def test_kueue_keeps_the_queue_of_a_job_that_runs(
    system: str, first: dict[str, Any], second: dict[str, Any], refused: list[str]
) -> None:
    """validateUpdateForQueueName of Kueue 0.19.2"""
    job = diff(system, first, second)
    assert [refusal.field for each in job.objects for refusal in each.effect.refused] == refused


@pytest.mark.parametrize(("release", "is_refused"), [("2.3", False), ("2.2", True), ("2.1", True)])
def test_patches_change_at_the_resumption_since_trainer_2_3(release: str, is_refused: bool) -> None:
    """checkRuntimePatchesImmutability of Trainer 2.3.0, 2.2.0 and 2.1.0"""
    target = Target(backend="trainjob", versions={"trainer": release})
    runtime = {"runtime": {"name": "torch-distributed", "kind": "ClusterTrainingRuntime"}}
    old, new = (
        compile_objects("trainjob", target=target, scheduling={**runtime, **more}, mode=mode, workers=2)
        for mode, more in (("paused", {}), ("run", {"nodeSelector": {"a": "b"}}))
    )
    (job,) = job_diffs(old, new, 36, releases=target.versions)
    assert job.training == ("needs re-creation" if is_refused else "starts")


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
    assert {each.outcome for each in jobs[0].objects} == {"created", "left over"}
