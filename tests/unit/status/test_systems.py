"""Statuses of kinds whose controllers are not part of the tests' cluster, from their documentation and source."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support import build
from tests.unit.status.recordings import of_kind, recorded, statuses
from trainc.status.status import JobStatus, job_statuses
from trainc.target import Target

Object = dict[str, Any]
NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
# https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md#deepspeedjob-的状态和阶段
T9K_FAILED = {
    "conditions": [
        {
            "type": "Initializing",
            "status": "True",
            "reason": "-",
            "message": "The job has been initialized successfully.",
        },
        {"type": "Running", "status": "True", "reason": "-", "message": "All pods are running normally."},
        {"type": "ReplicaFailure", "status": "False", "reason": "-", "message": "All pods are running normally."},
        {"type": "Completed", "status": "False", "reason": "Failed", "message": "The job exited with an error code."},
        {"type": "Failed", "status": "True", "reason": "Failed", "message": "The job exited with an error code."},
    ],
    "phase": "Failed",
}


def pods_of(owner: Object, phases: dict[str, str]) -> list[Object]:
    """Return the pods of an owner by name, in these phases."""
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "controller": True,
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "ownerReferences": [reference]},
            "spec": {"nodeName": "n", "containers": [{"name": "worker", "image": "image:1"}]},
            "status": {
                "phase": phase,
                "containerStatuses": [{"name": "worker", "ready": True, "state": {"running": {}}, "restartCount": 0}],
            },
        }
        for name, phase in phases.items()
    ]


def deepspeedjob(status: Object, **spec: Any) -> Object:
    (job,) = build.compile_objects("deepspeedjob", workers=2, launch={"deepspeed": {}}, **spec)
    return {**job, "status": status}


def status(*objects: Object) -> JobStatus:
    (job,) = job_statuses(objects, NOW)
    return job


def test_a_failed_t9k_job_has_the_phase_and_message_of_its_object() -> None:
    job = status(deepspeedjob(T9K_FAILED))
    assert (job.state, job.phase, job.summary) == ("failed", "Failed", "The job exited with an error code.")
    assert job.controller.conditions[0].type == "Initializing"


def test_workers_of_a_t9k_job() -> None:
    owner = deepspeedjob({"phase": "Running", "backoffCount": 2}, lifecycle={"backoffLimit": 3})
    job = status(owner, *pods_of(owner, {"mnist-worker-0": "Running", "mnist-worker-1": "Pending"}))
    assert [(each.name, each.phase) for each in job.workers] == [
        ("mnist-worker-0", "Running"),
        ("mnist-worker-1", "Pending"),
    ]
    assert job.retries
    assert (job.retries.used, job.retries.left()) == (2, 1)


@pytest.mark.parametrize(
    ("code", "effect"),
    [(137, "the pod is recreated"), (1, "the pod stays failed, and the ElasticJob waits for it without limit")],
)
def test_exit_codes_of_an_elasticjob(code: int, effect: str) -> None:
    """kubeflow/common at 0b3a4c3fca85, IsRetryableExitCode and ReconcilePods."""
    lifecycle = {"exitCodes": {"retryable": [130, 137, 138, 143]}}
    (owner,) = build.compile_objects("elasticjob", workers=2, launch={"basic": {}}, lifecycle=lifecycle)
    pods = pods_of(owner, {"mnist-worker-0": "Running", "mnist-worker-1": "Failed"})
    failed = {"name": "elasticjob-worker", "state": {"terminated": {"exitCode": code, "reason": "Error"}}}
    pods[1]["status"]["containerStatuses"] = [failed]
    job = status(owner, *pods)
    assert job.workers[1].record.rule == f"restartPolicy ExitCode: {effect}"
    assert job.state == "degraded"


def test_a_paused_t9k_job() -> None:
    job = status(deepspeedjob({"phase": "Pending"}, mode="paused"))
    assert (job.state, job.steps[0].command) == (
        "paused",
        'kubectl patch deepspeedjob mnist --type merge -p \'{"spec":{"runMode":{"pause":{"enabled":false}}}}\'',
    )


@pytest.mark.parametrize(
    ("is_compiled", "message"), [(True, "apply it with `mode: run`"), (False, "to resume, patch it")]
)
def test_only_a_job_that_trainc_compiled_resumes_by_its_job_file(is_compiled: bool, message: str) -> None:
    job = deepspeedjob({"phase": "Pending"}, mode="paused")
    if not is_compiled:
        del job["metadata"]["labels"]["trainc.dev/job"]
    assert message in status(job).steps[0].message


def test_pods_without_their_job_have_no_limit_of_retries() -> None:
    """The limit is a field of the Job, which the pods do not repeat."""
    pods = [each for each in recorded("running") if each["kind"] == "Pod"]
    assert (status(*recorded("running")).retries is None, status(*pods).retries) == (False, None)


def test_a_pytorchtrainingjob_without_a_model_has_the_workers_that_have_pods() -> None:
    owner = {
        "apiVersion": "batch.tensorstack.dev/v1beta1",
        "kind": "PyTorchTrainingJob",
        "metadata": {"name": "mnist"},
        "spec": {"replicaSpecs": [{"type": "worker", "replicas": 2}]},
        "status": {"phase": "Resuming"},
    }
    job = status(owner, *pods_of(owner, {"mnist-worker-0": "Running", "mnist-worker-1": "Running"}))
    assert (job.owner, job.phase, [each.name for each in job.workers]) == (
        ("PyTorchTrainingJob", "mnist"),
        "Resuming",
        ["mnist-worker-0", "mnist-worker-1"],
    )


def test_pods_of_an_unknown_controller() -> None:
    """A Job of Volcano, which has the kind of Kubernetes' own."""
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "mnist"}}
    (job,) = job_statuses(pods_of(owner, {"mnist-a-0": "Running"}), NOW)
    assert (job.owner, job.state, job.retries) == (("Job", "mnist"), "running", None)
    assert "the input has no Job mnist" in job.notes[0]


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"generation": 1}, "paused"),
        ({"generation": 2}, "stopped"),
        ({"annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"spec": {"replicas": 0}}'}}, "paused"),
        (
            {"managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:replicas": {}}}}]},
            "paused",
        ),
        ({"managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:selector": {}}}}]}, "stopped"),
    ],
)
def test_a_statefulset_without_replicas(changes: Object, state: str) -> None:
    """tests/cluster/test_status.py shows the managed fields of a real API server."""
    metadata = {"name": "mnist", "namespace": "lab"}
    objects = build.compile_objects("statefulset", metadata, workers=2, launch={"torchrun": {}})
    for each in of_kind(objects, "StatefulSet"):
        each["spec"]["replicas"] = 0
        each["metadata"] |= {"generation": 2, **changes}
    assert status(*objects).state == state


def workload(owner: Object | None = None, **status: Any) -> Object:
    """https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/apis/kueue/v1beta2/workload_types.go"""
    reference = {"apiVersion": "batch/v1", "kind": "Job", "name": "mnist", "controller": True, **(owner or {})}
    metadata = {"name": "job-mnist-1", "namespace": "paused", "ownerReferences": [reference]}
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": metadata, "status": status}


NO_QUOTA = (
    "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor a, 8 more needed"
)


@pytest.mark.parametrize(
    ("others", "summary"),
    [
        (
            [
                workload(
                    conditions=[{"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": NO_QUOTA}]
                )
            ],
            f"waits in queue research: {NO_QUOTA}",
        ),
        ([], "waits in queue research: Kueue has not admitted it; the input has no Workload that says why"),
    ],
)
def test_a_job_waits_in_its_queue(others: list[Object], summary: str) -> None:
    objects = recorded("paused")
    for each in of_kind(objects, "Job"):
        each["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "research"
    (job,) = statuses([*objects, *others])
    assert (job.state, job.phase, job.summary) == ("queued", "Pending", summary)
    assert {each.problem.code for each in job.workers if each.problem} == {"queued"}


@pytest.mark.parametrize("owner", [{"apiVersion": "batch.volcano.sh/v1alpha1"}, {"uid": "of-a-deleted-job"}])
def test_another_jobs_workload_with_its_name_is_ignored(owner: Object) -> None:
    objects = recorded("paused")
    (job,) = of_kind(objects, "Job")
    job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "research"
    waits = {"type": "QuotaReserved", "status": "False", "message": NO_QUOTA}
    (status,) = statuses([workload(owner, conditions=[waits]), *objects])
    assert "no Workload" in status.summary
    own = workload({"uid": job["metadata"]["uid"]}, conditions=[{**waits, "message": "its own message"}])
    (status,) = statuses([workload(owner, conditions=[waits]), own, *objects])
    assert status.summary == "waits in queue research: its own message"


def test_a_gated_pod_owns_its_workload() -> None:
    """https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods/: the Workload of a group has all pods as its owners."""
    manifests = build.compile_objects("pods", workers=2)
    pods = [each for each in manifests if each["kind"] == "Pod"]
    for pod in pods:
        pod["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/admission"}]
        pod["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "research"
        message = "Scheduling is blocked due to non-empty scheduling gates"
        gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "message": message}
        pod["status"] = {"phase": "Pending", "conditions": [gated]}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pods[1]["metadata"]["name"], "controller": None}
    waits = {"type": "QuotaReserved", "status": "False", "message": NO_QUOTA}
    group = workload(owner, conditions=[waits])
    del group["metadata"]["namespace"]
    (status,) = job_statuses([*manifests, group], NOW)
    assert status.summary == f"waits in queue research: {NO_QUOTA}"


def test_a_resumed_job_is_resuming_until_its_workers_run() -> None:
    objects = recorded("creating")
    resumed = {"type": "Suspended", "status": "False", "reason": "JobResumed", "message": "Job resumed"}
    for each in of_kind(objects, "Job"):
        each["status"]["conditions"] = [resumed]
    assert statuses(objects)[0].phase == "Resuming"


def test_resources_of_other_owners_are_ignored() -> None:
    pod = json.loads(
        json.dumps(
            pods_of({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}}, {"web-1": "Running"})
        )
    )
    assert job_statuses(pod, NOW) == []


def test_pods_of_a_jobset_belong_to_its_jobs() -> None:
    """restartsCountTowardsMax of api/jobset/v1alpha2/jobset_types.go in JobSet 0.12; the Job is not known."""
    target = Target(backend="jobset")
    (job,) = build.compile_objects("jobset", target=target, workers=2, lifecycle={"backoffLimit": 3})
    job["status"] = {"restarts": 2, "restartsCountTowardsMax": 1}
    label = {"jobset.sigs.k8s.io/jobset-name": "mnist"}
    child = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "mnist-worker-0"}}
    pods = pods_of(child, {"mnist-worker-0-0-abcde": "Running", "mnist-worker-0-1-abcde": "Running"})
    for pod, index in zip(pods, "01", strict=True):
        pod["metadata"]["labels"] = {**label, "batch.kubernetes.io/job-completion-index": index}
        pod["spec"]["hostname"] = f"mnist-worker-0-{index}"
    (status,) = job_statuses([job, *pods], NOW)
    assert [worker.phase for worker in status.workers] == ["Running", "Running"]
    assert status.retries is not None
    assert (status.retries.limit, status.retries.used, status.retries.left()) == (3, 1, 2)


def test_a_trainjob_has_the_retries_and_workers_of_its_jobset() -> None:
    job = status(*recorded("trainjob-restarted"))
    assert (job.owner, job.has_owner) == (("TrainJob", "mnist"), True)
    assert [each.name for each in job.workers] == ["mnist-node-0-0", "mnist-node-0-1"]
    assert job.retries is not None
    assert (job.retries.limit, job.retries.used) == (1, 1)
    assert job.deadline is not None


def test_a_trainjob_without_its_jobset_is_planned_from_its_runtime() -> None:
    objects = recorded("trainjob-restarted")
    for each in of_kind(objects, "JobSet"):
        objects.remove(each)
    job = status(*objects)
    assert [each.phase for each in job.workers] == ["Running", "Running"]
    assert job.retries is None


def test_workers_of_a_trainjob_wait_for_its_initializer() -> None:
    objects = [each for each in recorded("trainjob-restarted") if each["kind"] not in ("Pod", "Event")]
    for each in of_kind(objects, "TrainJob"):
        each["status"]["jobsStatus"] = [{"name": "dataset-initializer", "active": 1, "succeeded": 0}]
    messages = [worker.problem.message for worker in status(*objects).workers if worker.problem]
    assert messages == ["has no pod yet: the job `dataset-initializer` has not completed"] * 2


def test_objects_that_control_each_other() -> None:
    first, second = (
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                "name": name,
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": other, "controller": True}],
            },
        }
        for name, other in (("a", "b"), ("b", "a"))
    )
    pods = pods_of(first, {"a-0": "Running"})
    assert len(job_statuses([first, second, *pods], NOW)) <= 2


def volcano_job(phase: str, **more: object) -> list[dict[str, Any]]:
    """Return a Job of Volcano and its two running pods: JobStatus of pkg/apis/batch/v1alpha1/job.go."""
    target = Target(backend="vcjob")
    (job,) = build.compile_objects("vcjob", target=target, workers=2, lifecycle={"backoffLimit": 3})[-1:]
    time = "2026-11-22T11:00:00Z"
    conditions = [{"status": each, "lastTransitionTime": time} for each in dict.fromkeys(("Pending", phase))]
    job["status"] = {"state": {"phase": phase, "lastTransitionTime": time}, "conditions": conditions, **more}
    pods = pods_of(job, {"mnist-worker-0": "Running", "mnist-worker-1": "Running"})
    for pod, index in zip(pods, "01", strict=True):
        pod["metadata"]["labels"] = {"volcano.sh/job-name": "mnist", "volcano.sh/task-index": index}
        pod["spec"]["hostname"] = f"mnist-worker-{index}"
    return [job, *pods]


@pytest.mark.parametrize(
    ("phase", "state"),
    [
        ("Running", "running"),
        ("Completed", "succeeded"),
        ("Failed", "failed"),
        ("Terminated", "failed"),
        ("Aborted", "paused"),
    ],
)
def test_the_phase_of_a_volcano_job_is_that_of_the_job(phase: str, state: str) -> None:
    (status,) = job_statuses(volcano_job(phase), NOW)
    assert (status.phase, status.state) == (phase, state)
    assert [worker.phase for worker in status.workers] == ["Running", "Running"]


def test_a_volcano_job_fails_at_the_restart_whose_number_is_max_retry() -> None:
    (status,) = job_statuses(volcano_job("Restarting", retryCount=2), NOW)
    assert status.retries is not None
    assert (status.retries.fatal, status.retries.used, status.retries.left()) == (4, 2, 1)


@pytest.mark.parametrize("step", [1, -1])
def test_jobs_of_kubernetes_and_of_volcano_with_one_name(step: int) -> None:
    (job,) = of_kind(build.compile_objects("job", workers=1, launch={"torchrun": {}}), "Job")
    (pod,) = pods_of(job, {"mnist-0-abcde": "Running"})
    pod["spec"]["hostname"] = "mnist-0"
    both = job_statuses([*volcano_job("Running"), job, pod][::step], NOW)
    pods = [sorted(worker.pod.name for worker in status.workers if worker.pod) for status in both]
    assert pods[::step] == [["mnist-worker-0", "mnist-worker-1"], ["mnist-0-abcde"]]
