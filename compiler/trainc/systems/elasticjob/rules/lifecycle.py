"""Lifecycle fields that an ElasticJob cannot express, and spot nodes whose loss ends it."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, no_effect, remove, use_backend, warning
from trainc.systems.elasticjob.fields import restart_policy
from trainc.systems.shared.kubeflow.facts import RETRYABLE

TRIGGERS = ("lifecycle", "elastic", "scheduling.spot")

LISTED = ", ".join(map(str, RETRYABLE))


def check(context: RuleContext) -> Diagnostics:
    """Check restarts, limits and spot nodes.

    UpdateJobStatus of kubernetes/controllers/job.go in pytorch/elastic, and ReconcilePods and pastBackoffLimit of
    pkg/controller.v1/common in kubeflow/common 0b3a4c3fca85.
    """
    lifecycle, failure = context.spec.lifecycle, context.job.failure
    policy = restart_policy(failure)
    if policy == "ExitCode":
        yield from _by_exit_code(context)
    elif lifecycle.exit_codes is not None:
        help_: Help = (Message("use `{lifecycle/exitCodes: {{retryable: [{}]}}}`", LISTED), use_backend("job"))
        yield no_effect(context, "spec.lifecycle.exitCodes", f"the operator retries only {LISTED}", help_)
    if policy == "Never" and failure.backoff_limit != 0:
        fatal = Message(
            "the first failure ends the job: with `{lifecycle/restartPolicy: Never}` the operator recreates no pod"
        )
        help_ = ("remove it, so that containers are restarted in place", Message("set `{lifecycle/backoffLimit: 0}`"))
        where = lifecycle.where("restartPolicy")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, fatal, where, help=help_, remedy=remove(where))
    if lifecycle.success_policy == "Leader" and context.job.replicas.maximum > 1:
        help_ = use_backend("job")
        reason = "an ElasticJob completes when all of its workers do"
        yield no_effect(context, "spec.lifecycle.successPolicy", reason, help_)
    replicas, idle = context.job.replicas, context.job.paused or context.job.queue is not None
    # The operator creates exactly the number of workers and waits for each to succeed; Kueue starts all.
    if context.spec.elastic is not None and replicas.initial > replicas.minimum and not idle:
        message = f"the job completes when all {replicas.initial} workers do"
        message += ": a worker that starts after training has ended fails the job"
        fewer = Message("set `{workers}` to a number that can always be scheduled")
        help_ = (fewer, use_backend("job", ", which completes with worker 0"))
        yield warning(codes.RESTARTS_AFTER_COMPLETION, message, context.spec.where("elastic"), help=help_)
    # Pods of a node that shuts down are Failed, which UpdateJobStatus takes for the end:
    # https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/
    if context.spec.scheduling.spot is not None and policy != "ExitCode":
        message = "a reclaimed spot node terminates its pod, which ends the job"
        help_ = (Message("set `{lifecycle.exitCodes: {{retryable: [{}]}}}`", LISTED), use_backend("job"))
        yield warning(codes.SPOT_POD_NOT_REPLACED, message, context.spec.scheduling.where("spot"), help=help_)


def _by_exit_code(context: RuleContext) -> Diagnostics:
    """Report codes that leave the job running.

    Only pods whose container exited with one of them are recreated; after any other code the job neither fails nor
    completes, and no limit applies.
    """
    lifecycle = context.spec.lifecycle
    where = lifecycle.where("exitCodes")
    message = "after any other exit code the operator neither recreates the pod nor fails the job, which never ends"
    help_ = Message(
        "remove {lifecycle/exitCodes}, so that containers are restarted in place up to {lifecycle/backoffLimit}"
    )
    yield warning(codes.OPERATOR_IGNORES_FAILURE, message, where, help=help_, remedy=remove(where))
    reasons = {
        "backoffLimit": "the operator counts container restarts, not recreated pods",
        "activeDeadlineSeconds": "the operator recreates pods that the deadline terminates",
    }
    for field, reason in reasons.items():
        if lifecycle.node.get(field) is not None and lifecycle.has(field):
            related = [(where, "recreates pods")]
            yield no_effect(context, f"spec.lifecycle.{field}", reason, use_backend("job"), related=related)
