"""Status of a job whose operator is built on kubeflow/common.

https://github.com/kubeflow/training-operator/tree/release-1.9 and https://github.com/kubeflow/common at 0b3a4c3fca85
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from trainc.plan.fields import Object, count, number, text
from trainc.status.containers import exit_text
from trainc.status.events import Event
from trainc.status.pod_problems import Problem
from trainc.status.pod_state import PodState
from trainc.status.times import timestamp
from trainc.systems.shared.kubeflow.lifecycle import retries
from trainc.systems.shared.lifecycle import Effect, PodFailure, Reaction, Retries
from trainc.systems.shared.status import (
    ControllerStatus,
    Outcome,
    WorkerRecord,
    object_conditions,
    pod_failure,
    with_outcome,
)

# JobConditionType of pkg/apis/kubeflow.org/v1/common_types.go
_OUTCOMES: dict[str, Outcome] = {"Succeeded": "succeeded", "Failed": "failed", "Suspended": "paused"}
_EFFECTS: dict[Effect, str] = {
    "job fails": "the {} fails",
    "replaced": "the pod is recreated",
    "stays": "the pod stays failed, and the {} waits for it without limit",
}
# ReconcilePods of pkg/controller.v1/common/pod.go
_EXITED = re.compile(r"Pod: [^.]+\.(.+) exited with code (\d{1,4})")


def observe_roles(
    resource: Object, policy: Object, roles: Iterable[Object], pods: Sequence[PodState]
) -> ControllerStatus:
    """Return the status of a job with roles and a RunPolicy."""
    roles = list(roles)
    status = ControllerStatus(
        started=timestamp(resource, "status", "startTime"),
        deadline=number(policy, "activeDeadlineSeconds"),
        desired=sum(count(role, "replicas") for role in roles),
        retries=_retries(policy, roles, pods),
        conditions=object_conditions(resource),
    )
    return with_outcome(resource, status, _OUTCOMES)


def _retries(policy: Object, roles: Sequence[Object], pods: Sequence[PodState]) -> Retries | None:
    limit = retries(policy, (text(role, "restartPolicy") for role in roles))
    if limit is None or limit.counted == "failed pods":
        return limit
    return limit.replace(used=sum(each.restarts for each in pods if each.phase == "Running"))


def record(
    resource: Object,
    worker: str,
    pods: Sequence[PodState],
    events: Iterable[Event],
    restart_policy: str,
    reaction: Callable[[PodFailure], Reaction],
) -> WorkerRecord:
    """Return what restartPolicy makes of a worker's last failure, if it says something about it, and former pods."""
    failed, rule = next((each for each in reversed(pods) if each.phase == "Failed"), None), ""
    if failed and restart_policy in ("Never", "ExitCode"):
        effect = _EFFECTS[reaction(pod_failure(failed)).effect].format(text(resource, "kind"))
        rule = f"restartPolicy {restart_policy}: {effect}"
    return WorkerRecord(rule=rule, former=_former_exits(worker, pods, events))


def _former_exits(worker: str, pods: Sequence[PodState], events: Iterable[Event]) -> tuple[Problem, ...]:
    """Return the exit codes of a worker's pods that the operator has replaced, from its events."""
    exits = ((match, event) for event in events if (match := _EXITED.fullmatch(event.message)) and match[1] == worker)
    ended = {each.exit.code for pod in pods if pod.phase == "Failed" for each in pod.containers if each.exit}
    return tuple(
        Problem(code="exit-code", message=exit_text(int(match[2])), time=event.time)
        for match, event in exits
        if event.reason == "ExitedWithCode" and int(match[2]) not in ended
    )
