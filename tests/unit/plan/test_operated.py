"""Plans of PyTorchJobs: marks, failure cases, findings and differences."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.plan.manifests import Objects, container, objects, only, planned, remove_variable, report, variable
from tests.unit.plan.outputs import document, text
from trainc.plan.equivalence import differences
from trainc.plan.formats.mermaid import mermaid
from trainc.plan.formats.report import notes, pods
from trainc.plan.formats.summary import summary
from trainc.plan.formats.svg import svg
from trainc.plan.plan import plan

OPERATOR = "the training operator"
MLBATCH = "real-pytorchjob-mlbatch/pytorchjob"  # a Master and a Worker


def job(manifests: Objects) -> dict[str, Any]:
    spec: dict[str, Any] = only(manifests, "PyTorchJob")["spec"]
    return spec


def cases(manifests: Objects) -> dict[str, str]:
    return {case.trigger: case.effect for case in plan(manifests).failure_cases}


def with_changed_spec(name: str, change: Callable[[dict[str, Any]], object]) -> Objects:
    """Return a golden with changes in the spec of its PyTorchJob."""
    manifests = objects(name)
    change(job(manifests))
    return manifests


def test_text_marks_objects_of_the_operator() -> None:
    job_plan = planned(MLBATCH)
    assert "\u2020 created by the training operator, not in the manifests." in notes(job_plan)
    assert [row.cells[0] for row in pods(job_plan).rows] == [
        f"mnist-training-{role}-0\u00a0\u2020" for role in ("master", "worker")
    ]
    rows = dict(summary(job_plan))
    assert rows["init containers"].startswith("init-pytorch\u00a0\u2020: sh -c ")
    assert rows["objects"] == "PyTorchJob/mnist-training, 2 Pods\u00a0\u2020, 2 Services\u00a0\u2020"
    assert "PET_RDZV_BACKEND=static, PYTHONUNBUFFERED=1\u00a0\u2020" in rows["container variables"]


def test_a_plan_without_an_operator_has_no_mark() -> None:
    assert "\u2020" not in text(planned("torchrun/job"), 100)


def test_json_has_the_creator_of_each_object() -> None:
    result = document(planned("autoscaled/pytorchjob"))
    assert result["operators"] == [OPERATOR]
    assert {(item["kind"], item["createdBy"]) for item in result["objects"]} == {
        ("PyTorchJob", None),
        ("Pod", OPERATOR),
        ("Service", OPERATOR),
        ("HorizontalPodAutoscaler", OPERATOR),
    }
    assert {item["createdBy"] for item in (*result["pods"], *result["services"])} == {OPERATOR}
    sources = {variable["name"]: variable["source"] for variable in result["pods"][0]["env"]}
    assert sources == {
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "manifest",
        "CHECKPOINT_PATH": "manifest",
        **dict.fromkeys(("PYTHONUNBUFFERED", "PET_NPROC_PER_NODE", "PET_RDZV_ENDPOINT", "PET_RDZV_BACKEND"), OPERATOR),
        **dict.fromkeys(("PET_NNODES", "PET_MAX_RESTARTS", "PET_RDZV_ID", "PET_RDZV_CONF"), OPERATOR),
    }
    (first,) = document(planned(MLBATCH))["pods"][1]["initContainers"]
    assert (first["name"], first["createdBy"]) == ("init-pytorch", OPERATOR)
    json.dumps(result)


def test_pictures_have_dashed_borders_and_a_legend() -> None:
    picture = svg([planned("autoscaled/pytorchjob")])
    dashed = [element for element in ET.fromstring(picture).iter() if element.get("stroke-dasharray") == "4 3"]
    # The autoscaler, a pod, a stack of three cards for the other pods, a Service, a stack of others, the legend.
    assert len(dashed) == 1 + 1 + 3 + 1 + 3 + 1
    assert "created by the training operator, not in the manifests" in picture
    assert 'stroke-dasharray="4 3"' not in svg([planned("autoscaled/statefulset")])
    chart = mermaid([planned("autoscaled/pytorchjob")])
    assert "class j0scaler,j0pod0,j0pod1,j0service0,j0service1 created" in chart
    assert "\u2020 created by the training operator, not in the manifests" in chart


def test_the_picture_of_1000_workers_has_few_boxes() -> None:
    def use_1000_workers(spec: dict[str, Any]) -> None:
        spec["pytorchReplicaSpecs"]["Worker"]["replicas"] = 1000

    picture = svg([plan(with_changed_spec("torchrun/pytorchjob", use_1000_workers))])
    assert "999 headless Services, one per pod" in picture
    assert len(picture) < 40_000


@pytest.mark.parametrize(
    ("policy", "limit", "trigger", "effect"),
    [
        # PastBackoffLimit of pkg/core/job.go: limit 0 fails at the first restart, limit N at restart N.
        # ReconcileJobs of pkg/controller.v1/common/job.go then deletes all pods, as the job is not failed yet.
        (
            None,
            6,
            "a worker fails",
            "; after 6 restarts of all running pods together, the PyTorchJob fails, and all pods",
        ),
        (None, 0, "a worker fails", ", and the PyTorchJob fails, and all pods are deleted, with their logs"),
        (None, None, "a worker fails", "restarted without limit"),
        ("Never", 6, "a worker fails", "the PyTorchJob fails"),
        # IsRetryableExitCode of pkg/util/train/train_util.go: 128 and above.
        ("ExitCode", 6, "a worker exits with 128 or more, as after a signal", "recreated under the same name, without"),
        ("ExitCode", 6, "a worker exits with 1 to 127", "the PyTorchJob fails"),
        ("Never", 6, "node drain, preemption or eviction", "the PyTorchJob fails"),
        (None, 6, "node drain, preemption or eviction", "the pod is recreated under the same name"),
        ("Always", 6, "a worker has succeeded", "never succeeds"),
        ("Never", 6, "the PyTorchJob has failed because a worker failed", "running and pending pods are deleted"),
    ],
)
def test_a_failure_follows_restart_policy_and_backoff_limit(
    policy: str | None, limit: int | None, trigger: str, effect: str
) -> None:
    def change(spec: dict[str, Any]) -> None:
        spec["runPolicy"]["backoffLimit"] = limit
        spec["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] = policy

    assert effect in cases(with_changed_spec("torchrun/pytorchjob", change))[trigger]


def test_success_depends_on_the_master_or_on_the_workers() -> None:
    """UpdateJobStatus of pkg/controller.v1/pytorch/pytorchjob_controller.go"""
    assert "all workers have succeeded" in cases(objects("torchrun/pytorchjob"))
    assert "any worker has succeeded" in cases(objects("torchrun-elastic/pytorchjob"))
    effects = cases(objects(MLBATCH))
    assert effects["the Master has succeeded"].startswith("the PyTorchJob has succeeded")
    assert effects["a worker has succeeded"] == "its pod is completed; the job's success depends on the Master"


@pytest.mark.parametrize(
    ("policy", "effect"),
    [
        ({"cleanPodPolicy": "Running"}, "running and pending pods are deleted"),
        ({"cleanPodPolicy": "All"}, "all pods are deleted, with their logs"),
        ({"cleanPodPolicy": "None"}, "running pods continue"),
        ({}, "running pods continue"),
    ],
)
def test_clean_pod_policy_decides_about_running_pods(policy: dict[str, Any], effect: str) -> None:
    """DeletePodsAndServices of pkg/controller.v1/common/job.go; SetDefaults_PyTorchJob makes it None."""
    manifests = with_changed_spec("torchrun-elastic/pytorchjob", lambda spec: spec.update(runPolicy=policy))
    assert cases(manifests)["any worker has succeeded"] == f"the PyTorchJob has succeeded; {effect}"


def test_clean_pod_policy_has_no_effect_when_a_limit_is_exceeded() -> None:
    """With OnFailure only limits fail a job, and ReconcileJobs then deletes all pods."""
    assert "the PyTorchJob has failed because a worker failed" not in cases(objects("torchrun/pytorchjob"))


@pytest.mark.parametrize(
    ("pods", "start"),
    [
        (None, "at the next change of a pod or of the PyTorchJob, or up to 10 h later, the PyTorchJob fails"),
        (86400, "the PyTorchJob fails, and all pods are deleted, with their logs"),
        (3600, "at the next change"),
        (172800, "at the next change"),
    ],
)
def test_the_deadline_of_a_run_policy_needs_that_of_the_pods(pods: int | None, start: str) -> None:
    """AddAfter of pkg/common/util/fake_workqueue.go does nothing; defaultSyncPeriod of controller-runtime v0.19.1."""

    def change(spec: dict[str, Any]) -> None:
        spec["runPolicy"] = {"activeDeadlineSeconds": 86400, "ttlSecondsAfterFinished": 0}
        spec["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["activeDeadlineSeconds"] = pods

    effects = cases(with_changed_spec("torchrun/pytorchjob", change))
    assert effects["the job has run for 1 d"].startswith(start)
    assert effects["the job has finished"] == "the PyTorchJob, its pods and their logs are deleted"


def test_a_job_that_failed_with_an_exit_code_is_never_deleted() -> None:
    """ReconcilePods of pkg/controller.v1/common/pod.go sets no completionTime, which CleanupJob of job.go requires."""

    def change(spec: dict[str, Any]) -> None:
        spec["runPolicy"] = {"ttlSecondsAfterFinished": 60}
        spec["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] = "ExitCode"

    effects = cases(with_changed_spec("torchrun/pytorchjob", change))
    assert effects["the PyTorchJob has failed because of an exit code"].startswith("it is not deleted")


def test_a_suspended_job_starts_no_pod() -> None:
    assert planned("paused/pytorchjob").suspended
    assert "suspended until spec.runPolicy.suspend" in cases(objects("paused/pytorchjob"))["the job is applied"]
    assert not planned("torchrun/pytorchjob").suspended


def test_a_gang_needs_an_option_of_the_operator() -> None:
    effects = cases(objects("gang/pytorchjob"))["fewer than 8 pods can be scheduled"]
    assert effects == "no pod starts: they are gang-scheduled, if the operator runs with --gang-scheduler-name"


def _swap_roles(manifests: Objects) -> None:
    roles = job(manifests)["pytorchReplicaSpecs"]
    roles["Master"], roles["Worker"] = {**roles["Worker"], "replicas": 1}, {**roles["Master"], "replicas": 3}


@pytest.mark.parametrize(
    ("name", "fault", "message"),
    [
        (
            "torchrun",
            lambda manifests: remove_variable(manifests, "PET_RDZV_ENDPOINT"),
            "pods waits for the others at its own `localhost`",
        ),
        (
            "torchrun",
            lambda manifests: remove_variable(manifests, "PET_RDZV_BACKEND"),
            "rank 0 is already that of mnist-worker-0",
        ),
        (
            "torchrun",
            lambda manifests: variable(manifests, "PET_RDZV_ENDPOINT").update(value="mnist-0:29400"),
            "no Service resolves `mnist-0`",
        ),
        (
            "torchrun",
            lambda manifests: variable(manifests, "PET_RDZV_ENDPOINT").update(value="mnist-worker-4:29400"),
            "no Service resolves `mnist-worker-4`",
        ),
        (
            "torchrun-elastic",
            lambda manifests: job(manifests)["elasticPolicy"].update(minReplicas=9, maxReplicas=9, metrics=None),
            "the launcher waits for 9 nodes, but there is only 1 pod",
        ),
        (
            "torchrun-elastic",
            lambda manifests: job(manifests)["elasticPolicy"].update(rdzvHost="elastic-worker-9"),
            "no Service resolves `elastic-worker-9`",
        ),
        (
            "torchrun-elastic",
            lambda manifests: job(manifests)["elasticPolicy"].update(standalone=True),
            "PET_STANDALONE is ``, which is not a number",
        ),
        ("basic", lambda manifests: remove_variable(manifests, "WORLD_SIZE"), "`WORLD_SIZE` is not set"),
        (
            "torchrun",
            lambda manifests: container(manifests).update(readinessProbe={"httpGet": {"path": "/", "port": 80}}),
            "resolves only ready pods",
        ),
        (
            "torchrun",
            lambda manifests: job(manifests)["pytorchReplicaSpecs"]["Worker"].update(replicas=0),
            "rejected by the operator: Worker: replicas must be at least 1",
        ),
    ],
)
def test_a_fault_in_a_pytorchjob_is_reported(name: str, fault: Callable[[Objects], object], message: str) -> None:
    manifests = objects(f"{name}/pytorchjob")
    assert report(manifests) == ""
    fault(manifests)
    assert message in report(manifests)


@pytest.mark.parametrize(
    ("aspect", "fault"),
    [
        ("minimum world size", lambda differing: job(differing).update(nprocPerNode="4")),
        ("launcher", lambda differing: job(differing)["pytorchReplicaSpecs"]["Worker"].update(replicas=3)),
        ("variables", lambda differing: remove_variable(differing, "PET_RDZV_CONF")),
        ("program", lambda differing: container(differing)["args"].append("--more")),
        ("image", lambda differing: container(differing).update(image="other:1")),
        ("rendezvous", lambda differing: variable(differing, "PET_RDZV_ENDPOINT").update(value="mnist-worker-1:29400")),
        ("/dev/shm", lambda differing: container(differing).update(volumeMounts=[])),
        ("GPUs", lambda differing: container(differing)["resources"]["limits"].pop("nvidia.com/gpu")),
        ("launcher restarts", lambda differing: job(differing).update(elasticPolicy={"maxRestarts": 2})),
    ],
)
def test_a_fault_in_a_pytorchjob_is_a_difference(aspect: str, fault: Callable[[Objects], object]) -> None:
    manifests = objects("torchrun/pytorchjob")
    fault(manifests)
    differing = differences({"job": plan(objects("torchrun/job")), "pytorchjob": plan(manifests)})
    assert aspect in {difference.name for difference in differing}


def test_swapped_master_and_worker_are_a_difference() -> None:
    name = "real-deepspeedjob-t9k"
    manifests = objects(f"{name}/pytorchjob")
    _swap_roles(manifests)
    container(manifests, 0)["args"] += ["--more"]
    differing = differences({"job": plan(objects(f"{name}/job")), "pytorchjob": plan(manifests)})
    assert "program" in {difference.name for difference in differing if not difference.is_expected}


def test_an_additional_master_is_a_difference() -> None:
    manifests = objects("torchrun/pytorchjob")
    roles = job(manifests)["pytorchReplicaSpecs"]
    roles["Master"] = {**roles["Worker"], "replicas": 1}
    differing = differences({"job": plan(objects("torchrun/job")), "pytorchjob": plan(manifests)})
    assert {"minimum pods", "minimum world size", "launcher", "rendezvous"} <= {
        difference.name for difference in differing
    }
