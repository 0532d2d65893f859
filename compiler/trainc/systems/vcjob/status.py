"""Status of a Job of Volcano: JobStatus of pkg/apis/batch/v1alpha1/job.go in the API of Volcano 1.15.1"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trainc.plan.fields import Object, items, mapping, number, text
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.shared.lifecycle import Retries
from trainc.systems.shared.status import Condition, ControllerStatus, Outcome
from trainc.systems.vcjob import lifecycle

_OUTCOMES: dict[str, Outcome] = {
    "Completing": "succeeded",
    "Completed": "succeeded",
    "Failed": "failed",
    "Terminating": "failed",
    "Terminated": "failed",
    "Aborting": "paused",
    "Aborted": "paused",
}


def observe(resource: Object, pods: Sequence[PodState]) -> ControllerStatus:
    """Return the status of a Job; an aborted one can be resumed by a command of Volcano."""
    spec, state = mapping(resource, "spec"), mapping(resource, "status", "state")
    phase = text(state, "phase")
    outcome = _OUTCOMES.get(phase, "")
    tasks = items(spec, "tasks")
    return ControllerStatus(
        outcome=outcome,
        reason=text(state, "reason") or (phase if outcome else ""),
        message=text(state, "message"),
        time=timestamp(state, "lastTransitionTime") if outcome else None,
        started=timestamp(resource, "metadata", "creationTimestamp"),
        desired=0 if outcome == "paused" else sum(number(task, "replicas") or 0 for task in tasks) if tasks else None,
        retries=_retries(resource) if resource else None,
        conditions=tuple(_conditions(resource)),
        phase=phase,
    )


def _retries(resource: Object) -> Retries:
    return lifecycle.retries(mapping(resource, "spec")).replace(used=number(resource, "status", "retryCount") or 0)


def _conditions(resource: Object) -> list[Condition]:
    """Return the phases that the Job has had, the last of which holds."""
    phases: list[tuple[str, datetime | None]] = [
        (text(each, "status"), timestamp(each, "lastTransitionTime"))
        for each in items(mapping(resource, "status"), "conditions")
    ]
    last = len(phases) - 1
    return [
        Condition(type=phase, status="True" if index == last else "False", reason="", message="", time=time)
        for index, (phase, time) in enumerate(phases)
    ]
