"""A backoff limit that the first incident uses up: all pods of a world of fixed size fail together."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.transport import over_ssh
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.spec.launch import Deepspeed

TRIGGERS = ("lifecycle.backoffLimit",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A Job has failed with more failures than its limit, or, where containers restart, with as many.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy, and
    pastBackoffLimitOnFailure of pkg/controller/job/job_controller.go in kubernetes/kubernetes. A limit of 0 says that
    nothing is to be tried again, which may well be meant.
    """
    limit, replicas = context.spec.lifecycle.backoff_limit, context.job.replicas
    launch = context.spec.launch
    # Over ssh only worker 0's pod fails with its command.
    alone = isinstance(launch, Deepspeed) and over_ssh(context, launch)
    if not context.system.supports("spec.lifecycle.backoffLimit") or not limit or replicas.elastic or alone:
        return
    operator = context.system.container_restarts == "by default"  # PastBackoffLimit of kubeflow/common
    if operator and context.spec.lifecycle.restart_policy == "Never":
        return
    in_place = operator or context.spec.lifecycle.restart_policy == "OnFailure"
    fewest = replicas.maximum + (1 if in_place else 0)
    if replicas.maximum > 1 and limit < fewest:
        where = context.spec.lifecycle.where("backoffLimit")
        workers = context.spec.where("workers", "elastic")
        other = Related(span=workers, message=f"{replicas.maximum} failures at once")
        message = f"the first incident ends the job: all {replicas.maximum} pods fail at once, of which {limit} may"
        help_ = f"allow more, like {3 * replicas.maximum}, or 0 for no second attempt"
        if not operator:
            help_ = f"use backoffLimitPerIndex, or {help_}"
        yield warning(codes.BACKOFF_LIMIT_BELOW_WORKERS, message, where, help=help_, related=[other])
