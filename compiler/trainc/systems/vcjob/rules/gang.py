"""Groups of another scheduler, next to the one that Volcano creates."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, put

TRIGGERS = ("scheduling.gang",)


def check(context: RuleContext) -> Diagnostics:
    """createOrUpdatePodGroup of pkg/controllers/job/job_controller_actions.go in Volcano 1.15.1"""
    gang = context.job.gang
    if gang is not None and gang.scheduler != "volcano":
        message = f"a Job of Volcano is a gang of Volcano, not of `{gang.scheduler}`"
        where = context.spec.scheduling.where("gang")
        remedy = put("spec.scheduling.gang", "volcano")
        yield error(codes.GANG_OF_OTHER_SCHEDULER, message, where, help="use `gang: volcano`", remedy=remedy)
