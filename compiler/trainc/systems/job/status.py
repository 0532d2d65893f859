"""Status of a Job: https://kubernetes.io/docs/concepts/workloads/controllers/job/"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trainc.plan.fields import Object, count, mapping, number, text
from trainc.plan.models import is_suspended
from trainc.status.events import Event
from trainc.status.pod_state import PodState
from trainc.status.times import after, timestamp
from trainc.systems.job import lifecycle
from trainc.systems.job.traits import FAILURES_ANNOTATION, IGNORED_ANNOTATION
from trainc.systems.shared.lifecycle import Retries
from trainc.systems.shared.status import (
    ControllerStatus,
    Outcome,
    WorkerRecord,
    object_conditions,
    pod_failure,
    with_outcome,
)

# FailureTarget and SuccessCriteriaMet precede Failed and Complete while pods are being terminated.
_OUTCOMES: dict[str, Outcome] = {
    "Failed": "failed",
    "Complete": "succeeded",
    "FailureTarget": "failed",
    "SuccessCriteriaMet": "succeeded",
    "Suspended": "paused",
}
_EFFECTS = {
    "FailJob": "the Job fails",
    "FailIndex": "the worker is not retried",
    "Ignore": "it does not count against the backoff limit",
    "Count": "it counts against the backoff limit",
}


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a Job."""
    spec = mapping(resource, "spec")
    status = ControllerStatus(
        started=timestamp(resource, "status", "startTime"),
        deadline=number(spec, "activeDeadlineSeconds"),
        desired=0 if is_suspended(resource) else count(spec, "parallelism"),
        retries=_retries(resource, pods) if resource else None,
        conditions=object_conditions(resource),
    )
    return with_outcome(resource, status, _OUTCOMES)


def used_retries(retries: Retries, failed: int, pods: Sequence[PodState]) -> Retries:
    """Return retries with the number that a Job's failed pods, or the restarts of those that run or wait, have used."""
    restarts = sum(each.restarts for each in pods if not each.has_ended)
    return retries.replace(used=failed if retries.counted == "failed pods" else restarts)


def _retries(resource: Object, pods: Sequence[PodState]) -> Retries:
    retries = lifecycle.retries(resource)
    failed = number(resource, "status", "failed") or 0
    return retries if retries.per_worker else used_retries(retries, failed, pods)


def worker_record(resource: Object, worker: str, pods: Sequence[PodState], events: Sequence[Event]) -> WorkerRecord:
    """Return what the Job notes about a worker, on its pods and in its policies."""
    is_limited = number(resource, "spec", "backoffLimitPerIndex") is not None
    ignored = max((_annotated(pod, IGNORED_ANNOTATION) for pod in pods), default=0)
    counted = max((_annotated(pod, FAILURES_ANNOTATION) + _counts(resource, pod) for pod in pods), default=0)
    last = pods[-1] if pods else None
    return WorkerRecord(
        rule=next((_describe(*rule) for pod in reversed(pods) if (rule := _matching_rule(resource, pod))), ""),
        failures=counted if is_limited else None,
        was_replaced=bool(counted or ignored),
        replacement=_replacement(last, counted + ignored) if is_limited and last and last.phase == "Failed" else None,
    )


def _annotated(pod: PodState, annotation: str) -> int:
    value = text(pod.manifest, "metadata", "annotations", annotation)
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 10 else 0


def _replacement(failed: PodState, failures: int) -> datetime | None:
    return after(failed.since, lifecycle.backoff(failures)) if failures else None


def _counts(resource: Object, pod: PodState) -> bool:
    return pod.phase == "Failed" and lifecycle.reaction(resource, pod_failure(pod)).counts


def _describe(number_of_rule: int, rule: Object) -> str:
    action = text(rule, "action")
    return f"{action} rule at index {number_of_rule} of podFailurePolicy: {_EFFECTS.get(action, 'unknown action')}"


def _matching_rule(resource: Object, pod: PodState) -> tuple[int, Object] | None:
    return lifecycle.matching_rule(resource, pod_failure(pod)) if pod.phase == "Failed" else None
