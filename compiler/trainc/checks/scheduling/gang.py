"""Gang scheduling by a Kubernetes version without it."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error

TRIGGERS = ("scheduling.gang",)

OLDEST = 35  # https://kubernetes.io/docs/concepts/scheduling-eviction/gang-scheduling/


def check(context: RuleContext) -> Diagnostics:
    """Without the gang the workers would be scheduled one by one."""
    gang = context.job.gang
    if gang is not None and gang.scheduler == "kubernetes" and gang.version < OLDEST:
        message = f"`gang: kubernetes` requires Kubernetes 1.{OLDEST}, but the target is 1.{gang.version}"
        help_ = f"set --kubernetes-version 1.{OLDEST} or newer, or use volcano or coscheduling"
        yield error(codes.KUBERNETES_TOO_OLD, message, context.spec.scheduling.where("gang"), help=help_)
