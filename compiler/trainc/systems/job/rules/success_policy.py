"""Job successPolicy with a Kubernetes version without it."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.systems.job.facts import SUCCESS_POLICY

TRIGGERS = ("elastic", "lifecycle.successPolicy")


def check(context: RuleContext) -> Diagnostics:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#success-policy"""
    # Over ssh, worker 0 notifies the others when it is done, and all succeed.
    if context.job.launch.starts_workers:
        return
    if context.job.leader_decides and context.target.minor < SUCCESS_POLICY:
        message = f"Kubernetes 1.{context.target.minor} cannot complete a Job with worker 0: all workers must succeed"
        spec = context.spec
        where = spec.where("elastic") if spec.elastic else spec.lifecycle.where("successPolicy")
        help_ = f"set --kubernetes-version 1.{SUCCESS_POLICY} or newer"
        yield warning(codes.KUBERNETES_TOO_OLD, message, where, help=help_)
