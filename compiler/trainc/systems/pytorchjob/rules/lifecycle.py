"""When a PyTorchJob has failed or is done, where its operator can't be told what the job says."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.systems.pytorchjob.resource_fields import only_signals_again, restart_policy

TRIGGERS = ("lifecycle",)

NO_EFFECT = "`spec.lifecycle.{}` has no effect on the back end pytorchjob: "


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Against UpdateJobStatus of pkg/controller.v1/pytorch/pytorchjob_controller.go, ReconcilePods of
    pkg/controller.v1/common/pod.go and PastBackoffLimit of pkg/core/job.go in the training operator 1.9."""
    lifecycle, failure = context.spec.lifecycle, context.job.failure
    policy = restart_policy(failure)
    if lifecycle.exit_codes is not None and not only_signals_again(failure):
        message = NO_EFFECT.format("exitCodes") + "the operator has one rule, which tries codes from 128 on again"
        help_ = "use `exitCodes: {retryable: signals}`, or the back end job"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, lifecycle.where("exitCodes"), help=help_)
    if policy == "Never" and failure.backoff_limit != 0:
        message = "the first failure ends the job: with `restartPolicy: Never` the operator makes no pod anew"
        help_ = (
            "leave it out: then containers are started again in their pods; or say that it is meant: backoffLimit: 0"
        )
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, lifecycle.where("restartPolicy"), help=help_)
    elif policy == "ExitCode" and lifecycle.backoff_limit:
        message = NO_EFFECT.format("backoffLimit") + "the operator counts restarts in pods, and makes these pods anew"
        other = Related(span=lifecycle.where("exitCodes"), message="because of this")
        where = lifecycle.where("backoffLimit")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help="use the back end job", related=[other])
    yield from _success(context)


def _success(context: RuleContext) -> Iterator[Diagnostic]:
    lifecycle, reason = context.spec.lifecycle, None
    if lifecycle.success_policy == "Leader" and not context.job.replicas.elastic and not context.job.has_leader_role:
        reason = "with a Master the workers would meet there, and not at the given endpoint"
    if lifecycle.success_policy == "All" and context.job.replicas.elastic:
        reason = "an elastic PyTorchJob is done when the first worker is"
    if reason and context.job.replicas.maximum > 1:
        message = NO_EFFECT.format("successPolicy") + reason
        where = lifecycle.where("successPolicy")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help="use the back end job")
