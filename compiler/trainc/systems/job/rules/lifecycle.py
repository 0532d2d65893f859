"""Lifecycle fields that the API server or its version rejects in a Job."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, replace, warning
from trainc.systems.job.traits import SUCCESS_POLICY

TRIGGERS = ("lifecycle.backoffLimitPerIndex", "elastic", "lifecycle.successPolicy")


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index and #success-policy"""
    spec, lifecycle, minor = context.spec, context.spec.lifecycle, context.target.minor
    if lifecycle.backoff_limit_per_index is not None and lifecycle.restart_policy == "OnFailure":
        policy = lifecycle.where("restartPolicy")
        conflict = Message("`{lifecycle/backoffLimitPerIndex}` requires `{lifecycle/restartPolicy: Never}`")
        message = Message("{}: containers restarted in place never count", conflict)
        where, related = lifecycle.where("backoffLimitPerIndex"), [(policy, "conflicts with this")]
        never, remedy = Message("use {lifecycle/restartPolicy: Never}"), replace(policy, "Never")
        yield error(codes.BACKOFF_PER_INDEX_CONFLICT, message, where, help=never, related=related, remedy=remedy)
    # Over ssh, worker 0 notifies the others when it is done, and all succeed. Of a foreign Job, judge/objects.py
    # reports the field itself.
    is_ignored = minor < SUCCESS_POLICY and not context.in_own_system
    if context.job.leader_decides and not context.job.launch.starts_workers and is_ignored:
        all_ = f"Kubernetes 1.{minor} cannot complete a Job with worker 0: all workers must succeed"
        where = spec.where("elastic") if spec.elastic else lifecycle.where("successPolicy")
        help_ = f"set --kubernetes-version 1.{SUCCESS_POLICY} or newer"
        yield warning(codes.KUBERNETES_TOO_OLD, all_, where, help=help_)
