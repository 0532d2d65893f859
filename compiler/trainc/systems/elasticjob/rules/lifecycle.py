"""When an ElasticJob has failed or is done, where its operator can't be told what the job says."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.systems.elasticjob.resource_fields import restart_policy
from trainc.systems.shared.kubeflow.facts import RETRYABLE

TRIGGERS = ("lifecycle", "elastic")

NO_EFFECT = "`spec.lifecycle.{}` has no effect on the back end elasticjob: "
LISTED = ", ".join(map(str, RETRYABLE))


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Against UpdateJobStatus of kubernetes/controllers/job.go in pytorch/elastic, and ReconcilePods and
    pastBackoffLimit of pkg/controller.v1/common in kubeflow/common 0b3a4c3fca85."""
    lifecycle, failure = context.spec.lifecycle, context.job.failure
    policy = restart_policy(failure)
    if policy == "ExitCode":
        yield from _by_exit_code(context)
    elif lifecycle.exit_codes is not None:
        message = NO_EFFECT.format("exitCodes") + "the operator has one rule, which makes pods anew after some signals"
        help_ = f"use `exitCodes: {{retryable: [{LISTED}]}}`, or the back end job"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, lifecycle.where("exitCodes"), help=help_)
    if policy == "Never" and failure.backoff_limit != 0:
        message = "the first failure ends the job: with `restartPolicy: Never` the operator makes no pod anew"
        help_ = "leave it out: then containers are started again in their pods; or say it is meant: backoffLimit: 0"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, lifecycle.where("restartPolicy"), help=help_)
    if lifecycle.success_policy == "Leader" and context.job.replicas.maximum > 1:
        message = NO_EFFECT.format("successPolicy") + "an ElasticJob is done when all of its workers are"
        where = lifecycle.where("successPolicy")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help="use the back end job or pytorchjob")
    yield from _late(context)


def _by_exit_code(context: RuleContext) -> Iterator[Diagnostic]:
    """Only pods whose container ended with one of the codes are made anew; after any other the job is neither failed
    nor done, and no limit counts."""
    lifecycle = context.spec.lifecycle
    codes_ = lifecycle.where("exitCodes")
    message = "after any other exit code the operator neither makes the pod anew nor ends the job: it waits for ever"
    help_ = "leave exitCodes out: then containers are started again in their pods, up to backoffLimit"
    yield warning(codes.OPERATOR_IGNORES_FAILURE, message, codes_, help=help_)
    related = [Related(span=codes_, message="because of this")]
    reasons = {
        "backoffLimit": "the operator counts restarts in pods, and makes these pods anew",
        "activeDeadlineSeconds": "a pod that its deadline has ended by a signal is made anew",
    }
    for field, reason in reasons.items():
        if lifecycle.node.get(field) is not None and lifecycle.gives(field):
            where = lifecycle.where(field)
            message = NO_EFFECT.format(field) + reason
            yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help="use the back end job", related=related)


def _late(context: RuleContext) -> Iterator[Diagnostic]:
    """The operator makes exactly the number of workers, and waits until each has succeeded; Kueue starts all."""
    replicas, idle = context.job.replicas, context.job.paused or context.job.queue is not None
    if context.spec.elastic is None or replicas.initial <= replicas.minimum or idle:
        return
    message = f"the job is done when all {replicas.initial} workers are: one that starts after the end of the"
    message += " training fails, and with it the job"
    help_ = "give as many `workers` as surely find room, or use the back end job, which is done when worker 0 is"
    yield warning(codes.RESTARTS_AFTER_COMPLETION, message, context.spec.where("elastic"), help=help_)
