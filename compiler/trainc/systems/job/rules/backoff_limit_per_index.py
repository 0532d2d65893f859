"""backoffLimitPerIndex with containers that are restarted in place."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error

TRIGGERS = ("lifecycle.backoffLimitPerIndex",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index"""
    lifecycle = context.spec.lifecycle
    is_set = lifecycle.backoff_limit_per_index is not None
    if is_set and lifecycle.restart_policy == "OnFailure":
        other = Related(span=lifecycle.where("restartPolicy"), message="conflicts with this")
        message = "`backoffLimitPerIndex` requires `restartPolicy: Never`: the API server rejects the Job"
        where = lifecycle.where("backoffLimitPerIndex")
        yield error(codes.BACKOFF_PER_INDEX_CONFLICT, message, where, help="use restartPolicy: Never", related=[other])
