"""State, phase and conditions of a job, from the states of its workers and of its object."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from trainc.plan.quantity import plural
from trainc.record import Record
from trainc.status.workers import WorkerStatus
from trainc.systems.shared.status import Condition, ControllerStatus

State = Literal[
    "queued",
    "pending",
    "starting",
    "running",
    "scaled",
    "degraded",
    "paused",
    "stopped",
    "succeeded",
    "failed",
    "unknown",
]
# Phases of a T9k job:
# https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/pytorchtrainingjob.md#pytorchtrainingjob-的状态和阶段
_PHASES: dict[State, str] = {
    **dict.fromkeys(("queued", "pending", "starting"), "Pending"),
    **dict.fromkeys(("running", "scaled", "degraded"), "Running"),
    "paused": "Paused",
    "succeeded": "Succeeded",
    "failed": "Failed",
    "stopped": "Unknown",
    "unknown": "Unknown",
}
_HARMLESS = ("starting", "pulling", "initializing", "not-ready", "restarted", "paused", "deleted")


class WorldNow(Record):
    """World that the running workers can form. `nodes` is 0 below the minimum; `size` is None if it is unknown."""

    running: int
    expected: int
    minimum: int
    maximum: int
    nodes: int
    size: int | None


def world_now(workers: Sequence[WorkerStatus]) -> WorldNow:
    """Return the world of the running workers. Without a launcher each worker is by itself."""
    launch = next((each.planned.launch for each in workers if each.planned), None)
    running = sum(each.runs for each in workers)
    expected = sum(each.is_expected for each in workers)
    least, most = launch.nodes if launch and launch.nodes else (expected, expected)
    nodes = 0 if running < least else min(running, most)
    processes = launch.processes if launch and launch.has_launcher else None
    return WorldNow(
        running=running,
        expected=expected,
        minimum=least,
        maximum=min(most, len(workers)),
        nodes=nodes,
        size=None if processes is None else nodes * processes,
    )


def job_state(controller: ControllerStatus, workers: Sequence[WorkerStatus], world: WorldNow, queued: bool) -> State:
    """Return the state of a job."""
    if queued:
        return "queued"
    expected = [each for each in workers if each.is_expected]
    if controller.outcome or not expected:
        return controller.outcome or ("stopped" if controller.desired == 0 else "unknown")
    absent = [each for each in expected if not each.runs and each.phase != "Succeeded"]
    if any(each.has_run for each in absent):
        return "degraded"
    if not absent or (world.nodes and world.minimum < world.maximum):
        return "scaled" if 0 < world.nodes < world.maximum else "running"
    return "starting" if all(map(_makes_progress, absent)) else "pending"


def _makes_progress(worker: WorkerStatus) -> bool:
    codes = ("starting", "pulling", "initializing", "not-ready")
    return worker.pod is not None and (worker.problem is None or worker.problem.code in codes)


def job_phase(state: State, controller: ControllerStatus, world: WorldNow) -> str:
    """Return the phase as T9k calls it: the object's own, or by state. A job that resumes has no running worker yet."""
    was_paused = any(each.type in ("Suspended", "Paused") and each.status == "False" for each in controller.conditions)
    if controller.phase:
        return controller.phase
    phase = "Pending" if state == "degraded" and not world.running else _PHASES[state]
    return "Resuming" if phase == "Pending" and was_paused and state != "queued" else phase


def summary(state: State, controller: ControllerStatus, world: WorldNow) -> str:
    """Summarize a job in a clause."""
    if state in ("succeeded", "failed"):
        return " ".join(controller.message.split()) or controller.reason
    if state in ("paused", "stopped", "queued"):
        return " ".join(controller.message.split()) if state == "stopped" and controller.message else "no worker runs"
    bounds = str(world.expected)
    if world.minimum < world.maximum:
        bounds = f"{world.minimum} to {world.maximum}"
    text = plural(world.running, "worker") if bounds == "1" else f"{world.running} of {bounds} workers"
    text += " runs" if text == "1 worker" else " run"
    if world.size:
        text += f", world size {world.size}"
    elif world.running and world.size is not None:
        text += f": {plural(world.minimum, 'worker')} are needed for a world"
    return text


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
