"""Status as JSON for programs. docs/status.md describes every key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from trainc.report import json
from trainc.report.json import fields
from trainc.status.containers import ContainerStatus
from trainc.status.pod_problems import Problem
from trainc.status.pod_state import PHASES, PodState
from trainc.status.status import JobStatus
from trainc.status.workers import WorkerStatus
from trainc.systems.shared.lifecycle import Retries
from trainc.systems.shared.status import Condition


def to_json(statuses: list[JobStatus]) -> str:
    """Format the list of all jobs."""
    return json.to_json([_job(status) for status in statuses])


def _job(status: JobStatus) -> dict[str, Any]:
    """Return one job. The keys of the first part are those of T9k's status."""
    own = (*status.workers, *status.launchers)
    phases = Counter(each.phase for each in own if each.pod or each.is_expected)
    return {
        "phase": status.phase,
        "conditions": [_condition(each) for each in status.conditions],
        "tasks": list(_tasks(own)),
        "aggregate": {phase.lower(): phases[phase] for phase in sorted(PHASES)},
        "backoffCount": sum(each.pod.restarts if each.pod else 0 for each in own)
        + sum(len(each.earlier) for each in own),
        **fields(status, "name", "namespace?"),
        "owner": {"kind": status.owner[0], "name": status.owner[1] or None, "known": status.has_owner},
        "time": status.now,
        **fields(status, "state", "summary"),
        **fields(status.controller, "reason?", "message?"),
        "objectConditions": [_condition(each) for each in status.controller.conditions],
        "world": fields(status.world, "running", "expected", "minimum", "maximum", "nodes")
        | {"worldSize": status.world.size},
        "retries": _retries(status.retries) if status.retries else None,
        "deadline": status.deadline,
        "workers": [_worker(each, status.retries) for each in status.workers],
        "launchers": [_worker(each, status.retries) for each in status.launchers],
        "servers": [_worker(each, None) for each in status.servers],
        "meanwhile": [fields(each, "message", "until", "end?", "reason?") for each in status.consequences],
        "nextSteps": [fields(each, "message", "command?", "yaml?") for each in status.steps],
        "commands": [fields(each, "name", "command", "message?") for each in status.commands],
        "notes": status.notes,
    }


def _condition(condition: Condition) -> dict[str, Any]:
    time = {"lastTransitionTime": condition.time}
    return fields(condition, "type", "status") | time | fields(condition, "reason", "message")


def _tasks(workers: Iterable[WorkerStatus]) -> Iterable[dict[str, Any]]:
    roles: dict[str, list[WorkerStatus]] = {}
    for worker in workers:
        roles.setdefault(worker.record.role, []).append(worker)
    for role, members in roles.items():
        pods = [each.pod for each in members if each.pod]
        yield {
            "type": role,
            "restartCount": sum(pod.restarts for pod in pods) + sum(len(each.earlier) for each in members),
            "status": [
                fields(pod, "phase", "name", "uid") | {"containers": list(map(_container, pod.containers))}
                for pod in pods
            ],
        }


def _container(container: ContainerStatus) -> dict[str, Any]:
    code = container.exit.code if container.exit and container.state == "Terminated" else None
    end = {"exitCode": code, "restartCount": container.restarts}
    return fields(container, "name", "state", "reason?") | end | fields(container, "ready")


def _retries(retries: Retries) -> dict[str, Any]:
    return fields(retries, "limit", "used") | {"left": retries.left()} | fields(retries, "counted", "per_worker")


def _worker(worker: WorkerStatus, retries: Retries | None) -> dict[str, Any]:
    failures = worker.record.failures
    left = retries.left(failures) if retries and retries.per_worker and failures is not None else None
    return {
        "name": worker.name,
        "expected": worker.is_expected,
        "ranks": worker.ranks or None,
        "phase": worker.phase if worker.pod or worker.is_expected else None,
        "pod": _pod(worker.pod) if worker.pod else None,
        "problem": _problem(worker.problem),
        **fields(worker.record, "rule?", "replacement", "failures"),
        "retriesLeft": left,
        "earlier": [_pod(each) for each in worker.earlier],
        "former": [_problem(each) for each in worker.former],
    }


def _pod(pod: PodState) -> dict[str, Any]:
    values = fields(pod, "name", "uid", "phase", "node?", "created", "since", "deleting", "restarts")
    return values | {"problem": _problem(pod.problem)}


def _problem(problem: Problem | None) -> dict[str, Any] | None:
    if problem is None:
        return None
    unscheduled = (
        fields(problem.scheduling, "nodes", "refusals") if problem.scheduling else {"nodes": None, "refusals": []}
    )
    return fields(problem, "code", "message", "time", "container?") | unscheduled
