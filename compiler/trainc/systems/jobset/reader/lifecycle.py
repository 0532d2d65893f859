"""Translate the policies of a JobSet and of its Jobs."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import note, warning
from trainc.plan.failures import times
from trainc.source.node import Scalar, plain, scalar_text
from trainc.span import Text
from trainc.systems.job.traits import BACKOFF_LIMIT
from trainc.systems.jobset import facts
from trainc.systems.jobset.lifecycle import matching_action
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_policies import (
    exit_codes,
    report_failed_indexes,
    report_replacement,
    success_policy,
)
from trainc.systems.shared.reader.tree import child, items

# Actions, reasons and message patterns of the rules that trainc emits.
FAILURE_RULES = (
    ("RestartJobSetAndIgnoreMaxRestarts", "PodFailurePolicy", facts.DISRUPTED),
    ("FailJobSet", "PodFailurePolicy"),
    ("FailJobSet", "DeadlineExceeded"),
)
# The first without a pattern, as in a job without exit codes.
DISRUPTION_RULE = FAILURE_RULES[0][:2]


def translate_lifecycle(spec: ForeignMapping, workers: Workers, elastic: bool, cure: str = "set") -> dict[str, Any]:
    """Return the fields of `lifecycle`. `cure` begins the help about fields, which the user may have no file of."""
    job = workers.job
    fields: dict[str, Any] = {
        spec.key("ttlSecondsAfterFinished"): spec.consume("ttlSecondsAfterFinished"),
        job.key("activeDeadlineSeconds"): job.consume("activeDeadlineSeconds"),
        job.key("backoffLimitPerIndex"): job.consume("backoffLimitPerIndex"),
        **success_policy(job),
        **exit_codes(job),
    }
    job.ignore("suspend")  # the controller overwrites it
    report_failed_indexes(job)
    if job.choice("completionMode", ("Indexed", "NonIndexed")) == "NonIndexed":
        message = "the workers are numbered; the pods of a NonIndexed Job have no host names and no numbers"
        job.report.add_change(message, job.where("completionMode"))
    _report_deadline(spec.section("failurePolicy"), job)
    return fields | _restarts(spec, workers, elastic, "exitCodes" in fields, cure)


def _restarts(spec: ForeignMapping, workers: Workers, elastic: bool, has_codes: bool, cure: str) -> dict[str, Any]:
    """Return restartPolicy and the limit of restarts.

    The webhook's default is OnFailure. With a limit of 0 the Job fails at the first restart, as with Never:
    pastBackoffLimitOnFailure of pkg/controller/job/job_controller.go in kubernetes/kubernetes.
    """
    report, job, policy = spec.report, workers.job, spec.section("failurePolicy")
    if policy is not None:
        _restart_strategy(policy)
        _failure_rules(policy, workers, has_codes)
    node = child(workers.pods.node, "spec", "restartPolicy")
    if node is not None and scalar_text(node) not in ("", "Never", "OnFailure"):
        report.add_error("a Job's pods have another `restartPolicy`", node.span, expected="Never, OnFailure")
    report_replacement(job, scalar_text(node) == "Never")
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
        help_ = f"{cure} `backoffLimit: 0`, `restartPolicy: Never` and `failurePolicy.maxRestarts`"
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


def _restart_strategy(policy: ForeignMapping) -> None:
    """Consume the strategy. With one Job, Recreate and BlockingRecreate are the same: it is deleted in the foreground.

    deleteJobs of https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go
    """
    known = ("Recreate", "BlockingRecreate", "InPlaceRestart")
    if policy.choice("restartStrategy", known) == "InPlaceRestart":
        policy.drop("restartStrategy", "a restart makes new pods")


def _failure_rules(policy: ForeignMapping, workers: Workers, has_codes: bool) -> None:
    """Consume the rules that trainc emits, too, and report the others."""
    known = FAILURE_RULES if has_codes else (*FAILURE_RULES, DISRUPTION_RULE)
    for rule in policy.sections("rules"):
        fields = ("onJobFailureReasons", "onJobFailureMessagePatterns")
        conditions = [scalar_text(each) for field in fields for each in items(rule.node.get(field))]
        targets = {scalar_text(each) for each in items(rule.node.get("targetReplicatedJobs"))}
        is_known = (scalar_text(rule.node.get("action")), *conditions) in known
        rule.ignore_all()
        if not is_known or (targets and targets != set(workers.names)):
            rule.drop_all("trainc decides by exit codes: lifecycle.exitCodes")
