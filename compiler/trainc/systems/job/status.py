"""Status of a Job: https://kubernetes.io/docs/concepts/workloads/controllers/job/"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.status.events import Event
from trainc.status.pod_state import PodState
from trainc.status.times import after, timestamp
from trainc.systems.job.facts import (
    BACKOFF_LIMIT,
    FAILURES_ANNOTATION,
    FIRST_BACKOFF,
    IGNORED_ANNOTATION,
    LONGEST_BACKOFF,
)
from trainc.systems.shared.status import (
    ControllerStatus,
    Outcome,
    Retries,
    WorkerRecord,
    object_conditions,
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
    parallelism = number(spec, "parallelism")
    status = ControllerStatus(
        started=timestamp(resource, "status", "startTime"),
        deadline=number(spec, "activeDeadlineSeconds"),
        desired=0 if at(spec, "suspend") is True else 1 if parallelism is None else parallelism,
        retries=_retries(resource, pods) if resource else None,
        conditions=object_conditions(resource),
        resume='{"spec":{"suspend":false}}',
    )
    if at(spec, "suspend") is True:
        status = status.replace(outcome="paused")
    return with_outcome(status, _OUTCOMES)


def _retries(resource: Object, pods: Sequence[PodState]) -> Retries:
    """https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/job_controller.go, syncJob"""
    spec = mapping(resource, "spec")
    per_index = number(spec, "backoffLimitPerIndex")
    if per_index is not None:
        return Retries(limit=per_index, fatal=per_index + 1, counted="failed pods", per_worker=True)
    total = number(spec, "backoffLimit")
    used, counted = number(resource, "status", "failed") or 0, "failed pods"
    if text(spec, "template", "spec", "restartPolicy") == "OnFailure":
        # pastBackoffLimitOnFailure counts the restarts of pods that run or wait
        used, counted = sum(each.restarts for each in pods if not each.has_ended), "container restarts"
    limit = BACKOFF_LIMIT if total is None else total
    return Retries(limit=limit, used=used, fatal=limit + 1, counted=counted)


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
    count = text(pod.manifest, "metadata", "annotations", annotation)
    return int(count) if count.isascii() and count.isdecimal() and len(count) < 10 else 0


def _replacement(failed: PodState, failures: int) -> datetime | None:
    """https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/backoff_utils.go"""
    return after(failed.since, min(FIRST_BACKOFF * 2 ** min(failures - 1, 10), LONGEST_BACKOFF)) if failures else None


def _counts(resource: Object, pod: PodState) -> bool:
    rule = _matching_rule(resource, pod)
    return pod.phase == "Failed" and (rule is None or text(rule[1], "action") != "Ignore")


def _describe(number_of_rule: int, rule: Object) -> str:
    action = text(rule, "action")
    return f"{action} rule at index {number_of_rule} of podFailurePolicy: {_EFFECTS.get(action, 'unknown action')}"


def _matching_rule(resource: Object, pod: PodState) -> tuple[int, Object] | None:
    """Return the first rule that a failed pod matches, with its index: matchPodFailurePolicy in
    https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/controller/job/pod_failure_policy.go
    """
    if pod.phase != "Failed":
        return None
    rules = items(resource, "spec", "podFailurePolicy", "rules")
    matching = (
        (index, rule) for index, rule in enumerate(rules) if _matches_codes(rule, pod) or _matches_conditions(rule, pod)
    )
    return next(matching, None)


def _matches_codes(rule: Object, pod: PodState) -> bool:
    requirement = mapping(rule, "onExitCodes")
    name, values = text(requirement, "containerName"), listed(requirement, "values")
    is_negated = text(requirement, "operator") == "NotIn"
    exits = (each.exit for each in pod.containers if each.exit and name in ("", each.name) and not each.restarts)
    return bool(requirement) and any(each.code and (each.code in values) != is_negated for each in exits)


def _matches_conditions(rule: Object, pod: PodState) -> bool:
    conditions = {(text(each, "type"), text(each, "status")) for each in items(pod.manifest, "status", "conditions")}
    patterns = ((text(each, "type"), text(each, "status") or "True") for each in items(rule, "onPodConditions"))
    return any(pattern in conditions for pattern in patterns)
