"""Status of a RayJob under KubeRay 1.5: RayJobStatus of
https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/apis/ray/v1/rayjob_types.go

`jobDeploymentStatus` is the state of the RayJob, `jobStatus` that of the program in the Ray cluster.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object, items, mapping, number, text
from trainc.plan.models import is_suspended
from trainc.status.events import Event
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.rayjob import facts
from trainc.systems.rayjob.model import replicas
from trainc.systems.shared.lifecycle import Retries
from trainc.systems.shared.status import ControllerStatus, Outcome, WorkerRecord, object_conditions

_OUTCOMES: dict[str, Outcome] = {
    "Complete": "succeeded",
    "Failed": "failed",
    "ValidationFailed": "failed",
    "Suspending": "paused",
    "Suspended": "paused",
}
# Phases in which updateStatusToSuspendingIfNeeded of rayjob_controller.go does not look at spec.suspend.
_NOT_SUSPENDED = ("Waiting", "Complete", "Failed", "ValidationFailed")
_RUNNING, _STOPPED = "Running", "STOPPED"
# reconcilePods of raycluster_controller.go, once the cluster was provisioned
_HEADLESS = "KubeRay does not replace the head of a RayJob; delete the RayJob and apply it again"


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a RayJob. One whose program somebody has stopped is Complete, and hasn't succeeded."""
    spec, status = mapping(resource, "spec"), mapping(resource, "status")
    phase = text(status, "jobDeploymentStatus")
    outcome = _OUTCOMES.get(phase, "")
    if is_suspended(resource) and phase not in _NOT_SUSPENDED:
        outcome = "paused"
    reason, message = text(status, "reason"), text(status, "message")
    if outcome == "succeeded" and text(status, "jobStatus") == _STOPPED:
        outcome, reason = "failed", _STOPPED
    is_headless = phase == _RUNNING and pods and all(_node_type(each) != facts.HEAD for each in pods)
    cluster = mapping(spec, "rayClusterSpec")
    size = 1 + sum(map(replicas, items(cluster, "workerGroupSpecs"))) if cluster else None
    return ControllerStatus(
        outcome=outcome,
        reason=reason or (phase if outcome else ""),
        message=message,
        time=timestamp(status, "endTime") if outcome in ("succeeded", "failed") else None,
        started=timestamp(status, "startTime"),  # of the current attempt: initRayJobStatusIfNeed
        deadline=number(spec, "activeDeadlineSeconds"),
        desired=0 if outcome == "paused" else size,
        waits=_HEADLESS if is_headless else "",
        retries=_retries(resource) if resource else None,
        conditions=object_conditions({"status": mapping(status, "rayClusterStatus")}),
        phase=phase,
        log=() if is_headless else _log(spec, status),
    )


def _log(spec: Object, status: Object) -> tuple[str, ...]:
    """Return the command that prints the program's output, which no container prints; empty in other modes.

    It is that of a submitter: BuildJobSubmitCommand of controllers/ray/common/job.go.
    """
    job, is_running = text(status, "jobId"), text(status, "jobDeploymentStatus") == _RUNNING
    if not job or not is_running or text(spec, "submissionMode") not in (facts.HTTP, facts.INTERACTIVE):
        return ()
    return "ray", "job", "logs", "--address", f"http://127.0.0.1:{facts.DASHBOARD_PORT}", "--follow", job


def worker_record(resource: Object, worker: str, pods: Sequence[PodState], events: Sequence[Event]) -> WorkerRecord:
    """Return the role of a pod of the cluster, and whether it had one before."""
    runs = text(resource, "status", "jobDeploymentStatus") == _RUNNING  # all pods were ready before the program started
    role = next(filter(None, map(_node_type, pods)), facts.HEAD if f"-{facts.HEAD}-" in worker else facts.WORKER)
    return WorkerRecord(role=role, was_replaced=runs and not pods)


def _node_type(pod: PodState) -> str:
    return text(pod.manifest, "metadata", "labels", facts.NODE_TYPE_LABEL)


def _retries(resource: Object) -> Retries:
    """Return the attempts: checkBackoffLimitAndUpdateStatusIfNeeded of rayjob_controller.go."""
    limit = number(resource, "spec", "backoffLimit") or 0
    used = number(resource, "status", "failed") or 0
    return Retries(limit=limit, used=used, fatal=limit + 1, counted="failed attempts")
