"""Backoff limit below the number of pods that fail together."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, warning

TRIGGERS = ("lifecycle.backoffLimit",)


def check(context: RuleContext) -> Diagnostics:
    """A Job fails at more failures than its limit or, if containers restart in place, at as many.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy, and
    pastBackoffLimitOnFailure of pkg/controller/job/job_controller.go in kubernetes/kubernetes. A limit of 0 disables
    retries and is accepted.
    """
    limit, replicas = context.spec.lifecycle.backoff_limit, context.job.replicas
    # Over ssh only worker 0's pod fails.
    alone = context.job.launch.starts_workers
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
        message = (
            f"the first incident ends the job: {replicas.maximum} pods fail together, but `backoffLimit` is {limit}"
        )
        help_ = f"raise it, for example to {3 * replicas.maximum}, or set 0 for no retries"
        if not operator:
            help_ = f"use backoffLimitPerIndex, {help_}"
        yield warning(codes.BACKOFF_LIMIT_BELOW_WORKERS, message, where, help=help_, related=[other])
