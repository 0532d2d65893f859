"""Status of a job as its controller reports it: outcome, retries and conditions.

The module `status` of a system has `observe(resource, pods)`, which returns a ControllerStatus, and, if the controller
records something about single workers, `worker_record(resource, worker, pods, events)`, which returns a WorkerRecord of
one worker by name, with its pods, and the events about the resource. Both also get an empty resource, if only the pods
are known.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from trainc.plan.fields import Object, items, mapping, text
from trainc.plan.models import is_suspended
from trainc.record import Record
from trainc.status.pod_problems import Problem
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.shared.lifecycle import PodFailure, Retries

Outcome = Literal["", "succeeded", "failed", "paused"]


class Condition(Record):
    """Condition of an object's status."""

    type: str
    status: str
    reason: str
    message: str
    time: datetime | None


class ControllerStatus(Record):
    """State of a job as its object has it.

    `desired` is the number of pods that should exist now, None if the object doesn't say; `started` is when the
    deadline began to count. `waits` is what the controller waits for before it creates workers. `phase` is the
    object's own. `recorded` are the pods that the object lists, with their phases, and `recorded_restarts` the restarts
    that it counts. `log` is the command that prints the program's output in the main pod, empty if its container prints
    it.
    """

    outcome: Outcome = ""
    reason: str = ""
    message: str = ""
    time: datetime | None = None
    started: datetime | None = None
    deadline: int | None = None
    desired: int | None = None
    waits: str = ""
    retries: Retries | None = None
    conditions: tuple[Condition, ...] = ()
    phase: str = ""
    recorded: tuple[PodState, ...] = ()
    recorded_restarts: int = 0
    log: tuple[str, ...] = ()


class WorkerRecord(Record):
    """Record of a controller about one worker.

    `role` is its kind of replica. `rule` is the effect of the job's policies on its last failure, `failures` the number
    that counts against its own limit, None without one. `was_replaced` is whether it had an earlier pod, `replacement`
    the time at which its failed pod is replaced. `former` are the ends of pods that no longer exist.
    """

    role: str = "worker"
    rule: str = ""
    failures: int | None = None
    was_replaced: bool = False
    replacement: datetime | None = None
    former: tuple[Problem, ...] = ()


def object_conditions(resource: Object) -> tuple[Condition, ...]:
    """Return the conditions of an object in their order."""
    return tuple(
        Condition(
            type=text(each, "type"),
            status=text(each, "status"),
            reason=text(each, "reason"),
            message=text(each, "message"),
            time=timestamp(each, "lastTransitionTime"),
        )
        for each in items(mapping(resource, "status"), "conditions")
    )


def with_outcome(resource: Object, status: ControllerStatus, types: dict[str, Outcome]) -> ControllerStatus:
    """Return a status with the outcome of the first of these types whose condition is true, else of a paused job."""
    for kind, outcome in types.items():
        condition = next((each for each in status.conditions if each.type == kind and each.status == "True"), None)
        if condition is not None:
            fields = {"reason": condition.reason, "message": condition.message, "time": condition.time}
            return status.replace(outcome=outcome, **fields)
    return status.replace(outcome="paused") if is_suspended(resource) else status


def pod_failure(pod: PodState) -> PodFailure:
    """Return how a pod failed."""
    conditions = items(pod.manifest, "status", "conditions")
    return PodFailure(
        exits=tuple((each.name, each.exit.code) for each in pod.containers if each.exit and not each.restarts),
        conditions=tuple((text(each, "type"), text(each, "status")) for each in conditions),
    )
