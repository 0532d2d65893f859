"""Lifecycle fields that a PyTorchJob cannot express."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, no_effect, remove, use_backend, warning
from trainc.systems.pytorchjob.fields import restart_policy, retries_signals_only

TRIGGERS = ("lifecycle",)


def check(context: RuleContext) -> Diagnostics:
    """Check restarts and limits.

    UpdateJobStatus of pkg/controller.v1/pytorch/pytorchjob_controller.go, ReconcilePods of
    pkg/controller.v1/common/pod.go and PastBackoffLimit of pkg/core/job.go in the training operator 1.9.
    """
    lifecycle, failure = context.spec.lifecycle, context.job.failure
    policy = restart_policy(failure)
    if lifecycle.exit_codes is not None and not retries_signals_only(failure):
        help_: Help = (Message("use `{lifecycle/exitCodes: {{retryable: signals}}}`"), use_backend("job"))
        yield no_effect(context, "spec.lifecycle.exitCodes", "the operator retries only codes from 128", help_)
    if policy == "Never" and failure.backoff_limit != 0:
        fatal = Message(
            "the first failure ends the job: with `{lifecycle/restartPolicy: Never}` the operator recreates no pod"
        )
        help_ = ("remove it, so that containers are restarted in place", Message("set `{lifecycle/backoffLimit: 0}`"))
        where = lifecycle.where("restartPolicy")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, fatal, where, help=help_, remedy=remove(where))
    elif policy == "ExitCode" and lifecycle.backoff_limit:
        related = [(lifecycle.where("exitCodes"), "recreates pods")]
        reason = "the operator counts container restarts, not recreated pods"
        yield no_effect(context, "spec.lifecycle.backoffLimit", reason, use_backend("job"), related=related)
    replicas, reason = context.job.replicas, ""
    if lifecycle.success_policy == "Leader" and not replicas.elastic and not context.job.has_leader_role:
        reason = "with a Master the rendezvous would be there, not at the job's endpoint"
    if lifecycle.success_policy == "All" and replicas.elastic:
        reason = "an elastic PyTorchJob completes with its first worker"
    if reason and replicas.maximum > 1:
        yield no_effect(context, "spec.lifecycle.successPolicy", reason, use_backend("job"))
