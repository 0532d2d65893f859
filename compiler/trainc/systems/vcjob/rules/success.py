"""Success of worker 0 alone, which a Job of Volcano does not distinguish from that of others."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, use_backend, warning

TRIGGERS = ("lifecycle.successPolicy",)


def check(context: RuleContext) -> Diagnostics:
    """`minSuccess` counts pods: runningState.Execute of pkg/controllers/job/state/running.go in Volcano 1.15.1"""
    lifecycle, job = context.spec.lifecycle, context.job
    ends_alone = job.launch.starts_workers or job.replicas.maximum == 1
    if lifecycle.success_policy == "Leader" and not ends_alone and not context.in_own_system:
        message = "the first worker that succeeds completes the job, not only worker 0"
        help_ = ("let worker 0 end first", use_backend("job"))
        where = lifecycle.where("successPolicy")
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help=help_)
