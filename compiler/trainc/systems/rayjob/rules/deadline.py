"""Time limit of a RayJob, without which a lost head leaves it Running, with all GPUs.

reconcilePods of raycluster_controller.go does not create the head of a provisioned cluster again, and Reconcile of
rayjob_controller.go asks for the program without limit, in
https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator/controllers/ray. KubeRay 1.7 gives up after 5 minutes:
checkJobStatusCheckTimeoutAndUpdateStatusIfNeeded.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, use_backend, warning

TRIGGERS = ("launch.ray",)


def check(context: RuleContext) -> Diagnostics:
    """Warn about a job without a time limit, but not in mode debug: KubeRay has no deadline for the status Waiting."""
    if context.job.debug is not None or context.job.failure.active_deadline_seconds is not None:
        return
    if context.in_own_system and not context.is_own:
        return  # in another mode the loss fails the attempt; `trainc plan` shows it
    message = "without a time limit a lost head leaves the RayJob Running, and its pods keep their GPUs"
    help_ = (Message("set `{lifecycle.activeDeadlineSeconds}` to the longest time of an attempt"), use_backend("job"))
    yield warning(codes.LOST_RAY_HEAD, message, context.spec.launch.where("ray"), help=help_)
