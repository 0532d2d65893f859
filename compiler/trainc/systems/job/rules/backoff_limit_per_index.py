"""backoffLimitPerIndex with containers that are restarted in place."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error

TRIGGERS = ("lifecycle.backoffLimitPerIndex",)


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index"""
    lifecycle = context.spec.lifecycle
    is_set = lifecycle.backoff_limit_per_index is not None
    if is_set and lifecycle.restart_policy == "OnFailure":
        other = Related(span=lifecycle.where("restartPolicy"), message="conflicts with this")
        message = "`backoffLimitPerIndex` requires `restartPolicy: Never`: the API server rejects the Job"
        where = lifecycle.where("backoffLimitPerIndex")
        yield error(codes.BACKOFF_PER_INDEX_CONFLICT, message, where, help="use restartPolicy: Never", related=[other])
