"""Statuses of recorded jobs. What happened to each of them is what the recording's test on a cluster did."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from tests.unit.status.recordings import FOLDER, of_kind, recorded, status, statuses

STARTING, NO_GPU = "its containers are being created", "none of 4 nodes fits: 4 Insufficient nvidia.com/gpu"


class Case(NamedTuple):
    """State, phase, and phase and problem of each worker: `Running` or `Failed exit-code`."""

    state: str
    phase: str
    workers: tuple[str, ...]


CASES = {
    "running": Case("running", "Running", ("Running", "Running")),
    "complete": Case("succeeded", "Succeeded", ("Succeeded", "Succeeded")),
    "leader": Case("succeeded", "Succeeded", ("Succeeded", "Deleted deleted")),
    "paused": Case("paused", "Paused", ("Deleted paused", "Deleted paused")),
    "unschedulable": Case(
        "pending", "Pending", (*["Running"] * 3, "Creating unschedulable", "Creating unschedulable", "Running")
    ),
    "elastic": Case("scaled", "Running", (*["Running"] * 4, "Creating unschedulable", "Creating unschedulable")),
    "creating": Case("pending", "Pending", ("Pending starting", "Pending volume")),
    "image": Case("pending", "Pending", ("Pending image-pull", "Pending image-pull")),
    "quota": Case("pending", "Pending", ("Running", "Creating quota")),
    "account": Case("pending", "Pending", ("Creating service-account", "Creating service-account")),
    "backoff": Case("degraded", "Running", ("Running", "Failed exit-code")),
    "oom": Case("running", "Running", ("Running", "Running")),
    "drained": Case("running", "Running", ("Running", "Running")),
    "node-pressure": Case("running", "Running", ("Running", "Running")),
    "preempted": Case("degraded", "Pending", ("Creating unschedulable", "Creating unschedulable")),
    "per-index": Case("failed", "Failed", ("Deleted deleted", "Failed exit-code")),
    "backoff-limit": Case("failed", "Failed", ("Failed exit-code", "Failed exit-code")),
    "rule": Case("failed", "Failed", ("Deleted deleted", "Failed exit-code")),
    "deadline": Case("failed", "Failed", ("Deleted deleted", "Deleted deleted")),
    "pods": Case("running", "Running", ("Running", "Running restarted")),
    "crash-loop": Case("degraded", "Running", ("Running", "Running crash-loop")),
    "statefulset-evicted": Case("degraded", "Running", ("Running", "Pending starting")),
    "etcd": Case("running", "Running", ("Running", "Running")),
    "pytorchjob-restarted": Case("running", "Running", ("Running", "Running restarted")),
    "pytorchjob-exit-code": Case("degraded", "Running", ("Running", "Pending starting")),
    "pytorchjob-never": Case("failed", "Failed", ("Deleted deleted", "Failed exit-code")),
    "pytorchjob-backoff-limit": Case("failed", "Failed", ("Deleted deleted", "Deleted deleted")),
    "pytorchjob-succeeded": Case("succeeded", "Succeeded", ("Succeeded", "Deleted deleted")),
    "pytorchjob-paused": Case("paused", "Paused", ("Deleted paused", "Deleted paused")),
    "mpijob-launcher": Case("running", "Running", ("Running", "Running")),
    "pytorchjob-quota": Case("pending", "Pending", ("Running", "Creating quota")),
    "trainjob-restarted": Case("running", "Running", ("Running", "Running")),
    "trainjob-failed": Case("failed", "Failed", ("Failed exit-code", "Deleted deleted")),
    "trainjob-paused": Case("paused", "Paused", ("Deleted paused", "Deleted paused")),
    "trainjob-succeeded": Case("succeeded", "Succeeded", ("Succeeded", "Succeeded")),
    "trainjob-deadline": Case("failed", "Failed", ("Deleted deleted", "Deleted deleted")),
    "rayjob-running": Case("running", "Running", ("Running",) * 3),
    "rayjob-paused": Case("paused", "Suspended", ("Deleted paused",) * 3),
    "rayjob-lost-head": Case("degraded", "Running", ("Creating not-created", "Running", "Running")),
    "rayjob-invalid": Case("failed", "ValidationFailed", ("Running", "Running")),
    "rayjob-submitter": Case("running", "Running", ("Running",) * 3),
    "trainjob-quota": Case("pending", "Pending", ("Running", "Creating quota")),
}


@pytest.mark.parametrize("name", CASES)
def test_state_and_workers(name: str) -> None:
    job = status(name)
    workers = [f"{each.phase} {each.problem.code if each.problem else ''}".strip() for each in job.workers]
    assert (job.state, job.phase, tuple(workers)) == CASES[name]


def test_every_recording_has_a_case() -> None:
    assert {file.stem for file in FOLDER.glob("*.json")} == set(CASES)


@pytest.mark.parametrize(
    ("name", "worker", "message"),
    [
        ("elastic", 4, NO_GPU),
        ("creating", 0, STARTING),
        ("creating", 1, 'FailedMount: MountVolume.SetUp failed for volume "data" : configmap "missing" not found'),
        ("quota", 1, "its pod is rejected: exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1"),
        (
            "account",
            0,
            'its pod is rejected: error looking up service account account/absent: serviceaccount "absent" not found',
        ),
        ("rule", 1, "exit code 126 (the program is not executable)"),
        ("crash-loop", 1, "waits to be restarted: its container ended with exit code 1"),
    ],
)
def test_problem_of_a_worker(name: str, worker: int, message: str) -> None:
    problem = status(name).workers[worker].problem
    assert problem
    assert problem.message == message


def test_the_head_of_a_rayjob_is_the_pod_with_its_labels() -> None:
    head, *others = status("rayjob-running").workers
    assert head.pod
    assert ("-head-" in head.pod.name, [each.record.role for each in (head, *others)]) == (
        True,
        ["head", "worker", "worker"],
    )
    lost, *left = status("rayjob-lost-head").workers
    assert (lost.pod, lost.record.role, [each.record.role for each in left]) == (None, "head", ["worker", "worker"])


def test_the_logs_of_a_rayjob_of_another_tool_are_those_of_its_cluster() -> None:
    text = json.dumps(recorded("rayjob-running"))
    objects = json.loads(text.replace('"trainc.dev/job"', '"example.com/job"'))
    (job,) = statuses(objects)
    (cluster,) = {each["metadata"]["labels"]["ray.io/cluster"] for each in objects if each["kind"] == "Pod"}
    (logs,) = (each.command for each in job.commands if each.name == "all logs")
    assert logs.startswith(f"kubectl logs -f -l ray.io/cluster={cluster} --prefix ")


def test_the_output_of_a_program_without_a_submitter_is_in_rays_log() -> None:
    """The command is the sidecar's: BuildJobSubmitCommand in controllers/ray/common/job.go of KubeRay 1.5."""
    (ray_job,) = (each for each in recorded("rayjob-running") if each["kind"] == "RayJob")
    head, job = status("rayjob-running").workers[0].pod, ray_job["status"]["jobId"]
    (logs,) = (each.command for each in status("rayjob-running").commands if each.name == "logs")
    assert head
    end = f"-- ray job logs --address http://127.0.0.1:8265 --follow {job}"
    assert logs == f"kubectl exec {head.name} -n {ray_job['metadata']['namespace']} {end}"
    (logs,) = (each.command for each in status("rayjob-lost-head").commands if each.name == "logs")
    assert logs.startswith("kubectl logs ")


@pytest.mark.parametrize("missing", ["", "Job"])
def test_the_submitter_of_a_rayjob_is_its_launcher(missing: str) -> None:
    (job,) = statuses([each for each in recorded("rayjob-submitter") if each["kind"] != missing])
    assert (job.owner, len(job.workers), [each.phase for each in job.launchers]) == (
        ("RayJob", "mnist"),
        3,
        ["Running"],
    )


@pytest.mark.parametrize("has_owner", [True, False])
def test_a_launcher_pod_is_part_of_its_job(has_owner: bool) -> None:
    """Its controller is a Job that only the operator and the pod name."""
    (job,) = statuses([each for each in recorded("mpijob-launcher") if has_owner or each["kind"] == "Pod"])
    (launcher,) = job.launchers
    assert (job.owner, len(job.workers), job.world.expected) == (("MPIJob", "mnist"), 2, 2)
    assert (launcher.record.role, launcher.phase) == ("launcher", "Running")
    assert [each.problem.message for each in launcher.earlier if each.problem] == ["exit code 3"]


def test_a_launcher_pod_is_part_of_its_job_with_the_job_of_the_pod() -> None:
    """The MPIJob, which controls this Job and the workers, is not in the input."""
    pods = [each for each in recorded("mpijob-launcher") if each["kind"] == "Pod"]
    owner = {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "name": "mnist", "controller": True}
    metadata = {"name": "mnist-launcher", "namespace": pods[0]["metadata"]["namespace"], "ownerReferences": [owner]}
    (job,) = statuses([{"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata}, *pods])
    assert (job.owner, len(job.workers), len(job.launchers)) == (("MPIJob", "mnist"), 2, 1)


@pytest.mark.parametrize(("missing", "state"), [(("launcher",), "pending"), (("launcher", "worker-1"), "degraded")])
def test_a_launcher_pod_is_expected_once_all_workers_run(missing: tuple[str, ...], state: str) -> None:
    objects = [
        each for each in recorded("mpijob-launcher") if not any(part in each["metadata"]["name"] for part in missing)
    ]
    (job,) = statuses(objects)
    assert [each.is_expected for each in job.launchers] == [len(missing) == 1]
    assert job.summary.startswith(f"{3 - len(missing)} of 2 workers run")


def test_the_rule_that_took_a_failure() -> None:
    assert (
        status("rule").workers[1].record.rule == "FailJob rule at index 1 of podFailurePolicy: the Job fails"
    )  # the Job's condition says: matching FailJob rule at index 1
    ignored = "Ignore rule at index 0 of podFailurePolicy: it does not count against the backoff limit"
    assert status("node-pressure").workers[1].record.rule == ignored
    assert status("pytorchjob-never").workers[1].record.rule == "restartPolicy Never: the PyTorchJob fails"


@pytest.mark.parametrize(
    ("name", "limit", "used", "per_worker"),
    [
        ("running", 6, 0, True),
        ("backoff", 6, 1, True),
        ("per-index", 1, 2, True),
        ("backoff-limit", 1, 2, False),
        ("drained", 6, 0, True),
        ("pytorchjob-restarted", 6, 1, False),  # three per worker
        ("pytorchjob-never", 0, 0, False),
        ("mpijob-launcher", 1, 1, False),
    ],
)
def test_retries(name: str, limit: int, used: int, per_worker: bool) -> None:
    retries = status(name).retries
    assert retries
    assert (retries.limit, retries.used, retries.per_worker) == (limit, used, per_worker)


def test_retries_left_before_the_job_fails() -> None:
    """A Job fails at more failures than its limit, a PyTorchJob at as many restarts (PastBackoffLimit)."""
    assert [each.left() for name in ("backoff", "pytorchjob-restarted") if (each := status(name).retries)] == [5, 4]


def test_pods_of_a_worker_before_its_current_one() -> None:
    worker = status("oom").workers[1]
    assert [each.problem.message for each in worker.earlier if each.problem] == ["OOMKilled (exit code 137)"]
    preempted = status("preempted").workers[0]
    assert [each.code for each in preempted.former] == ["preempted"]
    assert [each.code for each in status("drained").workers[1].former] == ["gone"]
    recreated = status("pytorchjob-exit-code").workers[1]
    assert [each.message for each in recreated.former] == ["exit code 137 (SIGKILL)"]


def test_the_replacement_of_a_failed_pod_follows_ten_seconds_after_its_end() -> None:
    worker = status("backoff").workers[1]
    assert worker.pod
    assert worker.pod.since
    assert worker.record.replacement
    assert (worker.record.replacement - worker.pod.since).total_seconds() == 10
    assert status("per-index").workers[1].record.replacement is None  # the Job has failed


def test_ranks_are_those_of_the_workers_that_run() -> None:
    ranks = [each.ranks for each in status("elastic").workers]
    assert ranks == [(0, 7), (8, 15), (16, 23), (24, 31), None, None]
    assert status("elastic").world.size == 32
    assert [each.ranks for each in status("etcd").workers] == [None, None]


def test_roles_of_a_pytorchjob() -> None:
    assert [each.record.role for each in status("pytorchjob-succeeded").workers] == ["master", "worker"]


def test_servers_are_not_workers() -> None:
    (server,) = status("etcd").servers
    assert server.name.startswith("mnist-etcd-")


def test_each_job_of_a_namespace_has_its_own_status() -> None:
    assert [(each.name, each.owner) for each in statuses(recorded("preempted"))] == [
        ("mnist", ("Job", "mnist")),
        ("urgent", ("Pod", "urgent")),
    ]


def test_pods_of_a_deleted_job_with_the_same_name_belong_to_nobody() -> None:
    objects = recorded("running")
    for pod in of_kind(objects, "Pod")[1:]:
        pod["metadata"]["ownerReferences"][0]["uid"] = "another"
    job = statuses(objects)[0]
    assert [each.pod is None for each in job.workers] == [False, True]


def test_a_missing_owner_is_noted_and_its_workers_are_those_with_pods() -> None:
    objects = [each for each in recorded("oom") if each["kind"] in ("Pod", "Service")]
    (job,) = statuses(objects)
    assert (job.owner, job.has_owner, job.state) == (("Job", "mnist"), False, "running")
    assert [each.name for each in job.workers] == ["mnist-0", "mnist-1"]
    assert [len(each.earlier) for each in job.workers] == [0, 1]
    assert job.notes == (
        "the input has no Job mnist: retries, deadline and workers without a pod are unknown",
        "the input has no events: reasons that only events tell are unknown",
    )


def test_expired_events_are_noted() -> None:
    objects = [each for each in recorded("creating") if each["kind"] != "Event"]
    later = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "x"}, "lastTimestamp": "2026-11-22T13:30:00Z"}
    (job,) = statuses([*objects, later])
    assert job.workers[1].problem
    assert job.workers[1].problem.message == STARTING
    assert job.notes == ("no events about mnist-0-2mtc8: the API server deletes events, by default after an hour",)


def test_a_pod_with_another_image_than_its_owner_is_noted() -> None:
    objects = recorded("statefulset-evicted")
    for each in of_kind(objects, "StatefulSet"):
        each["spec"]["template"]["spec"]["containers"][0]["image"] = "image:2"
    assert statuses(objects)[0].notes == ("mnist-0 runs image image:1, but the StatefulSet has image:2",)


def test_an_object_that_its_operator_rejects_is_noted() -> None:
    objects = recorded("pytorchjob-paused")
    for each in of_kind(objects, "PyTorchJob"):
        each["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["name"] = "main"
    note = "PyTorchJob/mnist: rejected by the operator: Worker: no container is named `pytorch`"
    assert note in statuses(objects)[0].notes


def test_a_deadline_is_the_cause_and_not_the_exits_that_it_leads_to() -> None:
    """The Job's controller sends SIGTERM to the running pods: their exit codes say nothing about the program."""
    objects = recorded("backoff-limit")
    (job,), (ended,) = of_kind(objects, "Job"), of_kind(recorded("deadline"), "Job")
    job["status"] = ended["status"]
    steps = [each.message for each in statuses(objects)[0].steps]
    assert steps[0] == "raise activeDeadlineSeconds, or let the program end earlier"
    assert "read its log" in steps[1]
