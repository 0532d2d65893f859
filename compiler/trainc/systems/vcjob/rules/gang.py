"""Gangs of Volcano that its scheduler does not schedule, or that are in a group of another scheduler, too."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, put, warning

TRIGGERS = ("scheduling.gang", "scheduling.schedulerName")
_KUBERNETES = "default-scheduler"  # of Kubernetes, which reads no PodGroup of Volcano


def check(context: RuleContext) -> Diagnostics:
    """createOrUpdatePodGroup of pkg/controllers/job/job_controller_actions.go in Volcano 1.15.1"""
    gang = context.job.gang
    if gang is not None and gang.scheduler != "volcano":
        message = f"a Job of Volcano is a gang of Volcano, not of `{gang.scheduler}`"
        where = context.spec.scheduling.where("gang")
        remedy = put("spec.scheduling.gang", "volcano")
        yield error(
            codes.GANG_OF_OTHER_SCHEDULER,
            message,
            where,
            help=Message("use `{scheduling/gang: volcano}`"),
            remedy=remedy,
        )
    scheduling = context.spec.scheduling
    if scheduling.scheduler_name == _KUBERNETES and context.in_own_system and not context.is_own:
        message = f"the pods are no gang: `{_KUBERNETES}` schedules them one by one"
        where = scheduling.where("schedulerName")
        yield warning(
            codes.GANG_OF_OTHER_SCHEDULER, message, where, help=Message("use `{scheduling/schedulerName: volcano}`")
        )
