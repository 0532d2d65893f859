"""Translate the policies of a Job of Volcano: restarts, exit codes, and what completes the Job."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import warning
from trainc.diagnostics.remedy import replace
from trainc.source.node import Node, Scalar, scalar_text
from trainc.span import Span, Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, items
from trainc.systems.vcjob import facts
from trainc.systems.vcjob.fields import FIELDS, GANG, POLICIES, RETRIES, SUCCESS
from trainc.systems.vcjob.reader.tasks import Workers

_ENDS = ("AbortJob", "TerminateJob")
_FAILURES = ("PodFailed", "PodEvicted")


class _Policies:
    """Actions by event and by exit code, of the tasks first. `where` is the position of the first restart."""

    def __init__(self) -> None:
        self.events: dict[str, str] = {}
        self.codes: dict[str, list[Node]] = {}
        self.completes: list[str] = []  # tasks whose completion ends the Job; empty names are the Job's
        self.where: Span | None = None

    @property
    def restarts(self) -> bool:
        """Return whether a failed pod restarts anything, or only some exit codes."""
        return self.events.get("PodFailed") in facts.RESTARTS or any(name in facts.RESTARTS for name in self.codes)

    def read(self, section: ForeignMapping, task: str = "") -> None:
        """Read the policies of the Job or of a task, and report those without an equivalent."""
        for policy in section.sections(POLICIES):
            action, code = scalar_text(policy.node.get("action")), policy.node.get("exitCode")
            events = [scalar_text(each) for each in items(policy.node.get("events"))]
            events += [scalar_text(policy.node.get("event"))] if "event" in policy else []
            policy.ignore("action", "exitCode", "events", "event")
            known = [each for event in events for each in ((*_FAILURES, "TaskFailed") if event == "*" else (event,))]
            if code is not None and (action in _ENDS or action in facts.RESTARTS):
                self.codes.setdefault(action, []).append(code)
            elif events and set(known) <= {*_FAILURES, "TaskFailed"} and action in (*facts.RESTARTS, *_ENDS):
                for event in known:
                    self.events.setdefault(event, action)
            elif known == ["TaskCompleted"] and action == "CompleteJob":
                self.completes.append(task)
                continue
            else:
                why = "trainc restarts failed pods, and ends a job by exit codes: lifecycle.exitCodes"
                policy.report.add_dropped(policy.path, policy.node.span.first, why)
                continue
            if action in facts.RESTARTS and self.where is None:
                self.where = policy.node.span.first


def translate_lifecycle(spec: ForeignMapping, workers: Workers, elastic: bool) -> dict[str, Any]:
    """Return the fields of `lifecycle`."""
    policies = _Policies()
    for task, name in zip(workers.tasks, workers.names, strict=True):
        task.ignore(GANG)  # the gang's size, which is compared as a whole
        if task is workers.task or child(task.node, POLICIES) != child(workers.task.node, POLICIES):
            policies.read(task, name)
    policies.read(spec)
    fields: dict[str, Any] = {
        **spec.fields(FIELDS, "lifecycle"),
        **_success(spec, workers, policies),
        **_exit_codes(spec, policies),
    }
    return fields | _restarts(spec, workers, policies, elastic)


def _restarts(spec: ForeignMapping, workers: Workers, policies: _Policies, elastic: bool) -> dict[str, Any]:
    """Return restartPolicy and the limit of restarts: restartingState of pkg/controllers/job/state/restarting.go."""
    report, pod = spec.report, workers.template.section("spec")
    node = child(workers.template.node, "spec", "restartPolicy")
    if pod is not None:
        pod.ignore_all()  # read before
    policy = scalar_text(node) or "Always"
    retries = spec.integer(RETRIES) or facts.MAX_RETRY
    where = spec.where(RETRIES) if RETRIES in spec else policies.where or spec.node.span.first
    if policy != "Never":
        return _in_place(workers, policies, policy, node)
    for task in workers.tasks:
        task.ignore(RETRIES)  # counts restarts of containers
    if not policies.restarts:
        if workers.total > 1:
            message = "the job fails at the first failure: the original has no policy that restarts failed pods"
            report.add_change(f"{message}, and its other pods run on", where)
            help_ = "add a policy with `events: [PodFailed, PodEvicted]` and `action: RestartJob`"
            message = "a failed worker is not restarted: the others wait for it until they time out"
            report.faults.append(warning(codes.WORKERS_RESTART_ALONE, message, where, help=help_))
        return {Text("backoffLimit", where): Scalar(0, "0", where)}
    actions = {policies.events.get("PodFailed", "RestartJob")} & set(facts.RESTARTS)
    if not elastic and workers.total > 1 and not actions <= {"RestartJob"}:
        is_whole = actions == {"RestartTask"} and len(workers.names) == 1
        if not is_whole:
            message = "all workers restart when one fails; the original restarts fewer"
            report.add_change(message, policies.where or where)
    return {Text("backoffLimit", where): Scalar(retries - 1, str(retries - 1), where)}


def _in_place(workers: Workers, policies: _Policies, policy: str, node: Node | None) -> dict[str, Any]:
    """Return the fields of containers that restart in their pods: TaskFailed of pkg/controllers/cache/cache.go."""
    where = node.span if node is not None else workers.template.node.span.first
    report = workers.template.report
    if policy == "Always":
        shown = "restartPolicy `Always`" if node is not None else "restartPolicy, by default `Always`,"
        message = f"{shown} becomes `OnFailure`: a worker that succeeded is not restarted"
        report.add_change(message, where)
        message = "containers restart after they succeed: the Job never completes with restartPolicy `Always`"
        message += "" if node is not None else ", the default"
        remedy = replace(where, "OnFailure") if node is not None else None
        fault = warning(codes.RESTARTS_AFTER_COMPLETION, message, where, help="use OnFailure or Never", remedy=remedy)
        report.faults.append(fault)
    fields: dict[str, Any] = {"restartPolicy": Scalar("OnFailure", "OnFailure", where)}
    limit = workers.task.integer(RETRIES) or facts.MAX_RETRY
    if policies.events.get("TaskFailed") in _ENDS:
        at = workers.task.where(RETRIES) if RETRIES in workers.task else where
        fields[Text("backoffLimit", at)] = Scalar(limit, str(limit), at)
    else:
        report.add_change("restarts of containers have a limit, backoffLimit; the original restarts without", where)
    return fields


def _success(spec: ForeignMapping, workers: Workers, policies: _Policies) -> dict[str, Any]:
    """Return `successPolicy`: a master whose completion ends the Job, or one success that does."""
    least = spec.integer(SUCCESS)
    where = spec.where(SUCCESS) if least is not None else spec.where("tasks")
    ends = [task for task in policies.completes if task in workers.names and len(workers.names) > 1]
    if workers.total > 1 and (ends == [workers.first] or least == 1):
        if least == 1:
            message = "worker 0 completes the job; the original completes with any worker"
            spec.report.add_change(message, where, elsewhere=True)
        return {Text("successPolicy", where): Scalar("Leader", "Leader", where)}
    if ends or ("" in policies.completes and len(workers.names) > 1):
        message = "the job completes when all workers have succeeded; the original when one task has"
        spec.report.add_change(message, where)
    if least is not None and least != workers.total:
        spec.drop(SUCCESS, "trainc completes a job with worker 0 or with all")
    return {}


def _exit_codes(spec: ForeignMapping, policies: _Policies) -> dict[str, Any]:
    """Return `exitCodes`: those that end the Job, or that alone restart it."""
    fatal = [code for name in _ENDS for code in policies.codes.get(name, [])]
    retryable = [code for name in facts.RESTARTS for code in policies.codes.get(name, [])]
    restarts_all = policies.events.get("PodFailed") in facts.RESTARTS
    fields: dict[str, Any] = {}
    if fatal and restarts_all:
        fields["fatal"] = fatal
    if retryable and not restarts_all:
        fields["retryable"] = retryable
    where = spec.position(POLICIES)
    return {Text("exitCodes", where): fields} if fields else {}
