"""Translate the policies of a JobSet and of its Jobs."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import note, warning
from trainc.plan.failures import times
from trainc.source.node import Node, Scalar, plain, scalar_text
from trainc.span import Text
from trainc.systems.job.facts import BACKOFF_LIMIT
from trainc.systems.jobset.model.policies import matching_action
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, items

_JOB = "spec.replicatedJobs[0].template.spec"
NAMES = {
    "lifecycle.ttlSecondsAfterFinished": "spec.ttlSecondsAfterFinished",
    "lifecycle.backoffLimit": f"{_JOB}.backoffLimit",
    "lifecycle.backoffLimitPerIndex": f"{_JOB}.backoffLimitPerIndex",
    "lifecycle.activeDeadlineSeconds": f"{_JOB}.activeDeadlineSeconds",
    "lifecycle.exitCodes": f"{_JOB}.podFailurePolicy",
    "lifecycle.successPolicy": f"{_JOB}.successPolicy",
    "lifecycle.restartPolicy": f"{_JOB}.template.spec.restartPolicy",
}


# Actions and reasons of the rules that trainc emits.
FAILURE_RULES = (
    ("RestartJobSetAndIgnoreMaxRestarts", "PodFailurePolicy"),
    ("FailJobSet", "PodFailurePolicy"),
    ("FailJobSet", "DeadlineExceeded"),
)


def translate_lifecycle(spec: ForeignMapping, workers: Workers, elastic: bool) -> dict[str, Any]:
    """Return the fields of `lifecycle`."""
    job = workers.job
    fields: dict[str, Any] = {
        spec.key("ttlSecondsAfterFinished"): spec.consume("ttlSecondsAfterFinished"),
        job.key("activeDeadlineSeconds"): job.consume("activeDeadlineSeconds"),
        job.key("backoffLimitPerIndex"): job.consume("backoffLimitPerIndex"),
        **_success(job),
        **_exit_codes(job),
    }
    job.ignore("maxFailedIndexes", "podReplacementPolicy", "suspend")
    if job.string("completionMode") == "NonIndexed":
        message = "the workers are numbered; the pods of a NonIndexed Job have no host names and no numbers"
        job.report.add_change(message, job.where("completionMode"))
    _report_deadline(spec.section("failurePolicy"), job)
    return fields | _restarts(spec, job, workers, elastic)


def _restarts(spec: ForeignMapping, job: ForeignMapping, workers: Workers, elastic: bool) -> dict[str, Any]:
    """Return restartPolicy and the limit of restarts.

    The webhook's default is OnFailure. With a limit of 0 the Job fails at the first restart, as with Never:
    pastBackoffLimitOnFailure of pkg/controller/job/job_controller.go in kubernetes/kubernetes.
    """
    report, policy = spec.report, spec.section("failurePolicy")
    if policy is not None:
        policy.ignore("restartStrategy")
        _failure_rules(policy)
    node = child(workers.pods.node, "spec", "restartPolicy")
    limit, restarts = job.integer("backoffLimit"), policy.integer("maxRestarts") if policy is not None else None
    if "backoffLimitPerIndex" in job and limit is None:
        return {}
    in_place = scalar_text(node) != "Never" and limit != 0
    if limit == 0 and not elastic and policy is not None:
        where = policy.where("maxRestarts") if restarts is not None else policy.node.span.first
        return {Text("backoffLimit", where): Scalar(restarts or 0, str(restarts or 0), where)}
    where = job.where("backoffLimit") if limit is not None else job.node.span.first
    limit = BACKOFF_LIMIT if limit is None else limit
    fields: dict[str, Any] = {Text("backoffLimit", where): Scalar(limit, str(limit), where)}
    if in_place:
        policy_span = node.span if node is not None else workers.pods.node.span.first
        fields["restartPolicy"] = Scalar("OnFailure", "OnFailure", policy_span)
    elif limit and not elastic:
        message = "on a JobSet all workers restart when one fails; the original replaces failed pods one by one"
        report.add_change(message, where)
    if restarts and policy is not None:
        what = "containers restart in place" if in_place else "failed pods are replaced"
        message = f"{what}, up to the backoff limit; the original then restarts all Jobs"
        report.add_change(message, policy.where("maxRestarts"), elsewhere=True)
    is_whole = policy is not None and scalar_text(policy.node.get("restartStrategy")) == "InPlaceRestart"
    if limit and not elastic and workers.total > 1 and not is_whole:
        what = "its container restarts" if in_place else "its pod is replaced"
        message = f"when a worker fails, {what} alone: the others wait for it until they time out"
        help_ = "set `backoffLimit: 0`, `restartPolicy: Never` and `failurePolicy.maxRestarts`"
        report.faults.append(note(codes.WORKERS_RESTART_ALONE, message, where, help=help_))
    return fields


def _report_deadline(policy: ForeignMapping | None, job: ForeignMapping) -> None:
    """Report a deadline that restarts the Jobs: each of them has the time anew."""
    if policy is None or "activeDeadlineSeconds" not in job:
        return
    values = plain(policy.node)
    restarts = values.get("maxRestarts") if isinstance(values, dict) else None
    if restarts and matching_action(values, "DeadlineExceeded", "") == "RestartJobSet":
        message = f"the deadline does not end the JobSet: it restarts the Jobs, up to {times(restarts)}"
        help_ = "add a rule with `action: FailJobSet` and `onJobFailureReasons: [DeadlineExceeded]`"
        where = job.where("activeDeadlineSeconds")
        job.report.faults.append(warning(codes.DEADLINE_RESTARTS, message, where, help=help_))


def _failure_rules(policy: ForeignMapping) -> None:
    """Consume the rules that trainc emits, too, and report the others."""
    for rule in policy.sections("rules"):
        action, reasons = scalar_text(rule.node.get("action")), items(rule.node.get("onJobFailureReasons"))
        rule.ignore(*rule.node.entries)
        if (action, *map(scalar_text, reasons)) not in FAILURE_RULES:
            why = "trainc decides by exit codes: lifecycle.exitCodes"
            rule.report.add_dropped(rule.path, rule.node.span.first, why)


def _success(job: ForeignMapping) -> dict[str, Any]:
    policy: Node | None = job.consume("successPolicy")
    if policy is None:
        return {}
    where = job.where("successPolicy")
    if plain(policy) == {"rules": [{"succeededIndexes": "0"}]}:
        return {Text("successPolicy", where): Scalar("Leader", "Leader", where)}
    job.report.add_dropped(job.path_of("successPolicy"), where, "trainc completes a job with worker 0 or with all")
    return {}


def _exit_codes(job: ForeignMapping) -> dict[str, Any]:
    """Return `exitCodes`: codes that fail the Job, or all but some."""
    policy = job.section("podFailurePolicy")
    codes: dict[str, Any] = {}
    for rule in policy.sections("rules") if policy is not None else []:
        action, operator = scalar_text(rule.node.get("action")), child(rule.node, "onExitCodes", "operator")
        rule.ignore(*rule.node.entries)
        conditions = [scalar_text(child(each, "type")) for each in items(rule.node.get("onPodConditions"))]
        if "DisruptionTarget" in conditions and action in ("Ignore", "FailJob"):
            continue
        field = {"In": "fatal", "NotIn": "retryable"}.get(scalar_text(operator))
        if action != "FailJob" or field is None or field in codes:
            why = "trainc has rules for exit codes that fail the job"
            rule.report.add_dropped(rule.path, rule.node.span.first, why)
            continue
        codes[field] = child(rule.node, "onExitCodes", "values")
    return {Text("exitCodes", policy.node.span.first): codes} if policy is not None and codes else {}
