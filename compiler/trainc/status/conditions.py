"""Conditions of a job as T9k's: the same six for each kind of job.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#pytorchtrainingjob-的状态和阶段
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trainc.status.phase import State
from trainc.status.workers import WorkerStatus
from trainc.systems.shared.status import Condition, ControllerStatus

_HARMLESS = ("starting", "pulling", "initializing", "not-ready", "restarted", "paused", "deleted")


def job_conditions(
    state: State, summary: str, controller: ControllerStatus, workers: Sequence[WorkerStatus]
) -> tuple[Condition, ...]:
    """Return Initialized, Running, ReplicaFailure, Completed, Failed and Paused. A time is None if it is unknown."""
    expected = [each for each in workers if each.is_expected]
    created = [each.pod.created for each in expected if each.pod and each.pod.created]
    started = [each.pod.started for each in expected if each.pod and each.pod.started]
    faulty = [each for each in workers if each.problem and each.problem.code not in _HARMLESS]
    finished = controller.time if controller.outcome else None
    is_initialized = bool(expected) and all(each.pod or each.earlier for each in expected)
    failure = faulty[0].problem if faulty else None
    has_failed = any(each.last_failure or each.phase == "Failed" for each in workers)
    return (
        _condition("Initialized", is_initialized, "", "", max(created, default=None)),
        _condition("Running", state in ("running", "scaled", "degraded"), "", summary, max(started, default=None)),
        _condition(
            "ReplicaFailure",
            bool(faulty) or has_failed,
            failure.code if failure else "",
            f"{faulty[0].name}: {failure.message}" if failure else "",
            failure.time if failure else None,
        ),
        _condition("Completed", state == "succeeded", controller.reason, controller.message, finished),
        _condition("Failed", state == "failed", controller.reason, controller.message, finished),
        _condition("Paused", state == "paused", controller.reason, controller.message, finished),
    )


def _condition(kind: str, holds: bool, reason: str, message: str, time: datetime | None) -> Condition:
    status = "True" if holds else "False"
    return Condition(
        type=kind,
        status=status,
        reason=reason if holds else "",
        message=message if holds else "",
        time=time if holds else None,
    )
