"""Limits of a RayJob: its time, and its number of workers.

Paths are below https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, use_backend, warning

TRIGGERS = ("launch.ray", "elastic")


def check(context: RuleContext) -> Diagnostics:
    yield from _deadline(context)
    yield from _elastic(context)


def _deadline(context: RuleContext) -> Diagnostics:
    """Warn about a job without a time limit: a lost head leaves it Running, with all GPUs.

    reconcilePods of controllers/ray/raycluster_controller.go does not create the head of a provisioned cluster again,
    and Reconcile of rayjob_controller.go asks for the program without limit. KubeRay 1.7 gives up after 5 minutes:
    checkJobStatusCheckTimeoutAndUpdateStatusIfNeeded. In mode debug KubeRay has no deadline for the status Waiting.
    """
    if context.job.debug is not None or context.job.failure.active_deadline_seconds is not None:
        return
    if context.in_own_system and not context.is_own:
        return  # in another mode the loss fails the attempt; `trainc plan` shows it
    message = "without a time limit a lost head leaves the RayJob Running, and its pods keep their GPUs"
    help_ = (Message("set `{lifecycle.activeDeadlineSeconds}` to the longest time of an attempt"), use_backend("job"))
    yield warning(codes.LOST_RAY_HEAD, message, context.spec.launch.where("ray"), help=help_)


def _elastic(context: RuleContext) -> Diagnostics:
    """Reject a range of workers, which KubeRay changes only by the demand of the program.

    enableInTreeAutoscaling of apis/ray/v1/raycluster_types.go: Ray's autoscaler adds nodes for tasks that wait, and
    removes idle ones. Without it KubeRay keeps `replicas`, and submits the program only once all of them are ready.
    """
    if context.spec.elastic is None or context.in_own_system:
        return
    message = "a RayJob has a fixed number of workers: Ray's autoscaler follows the tasks, not the job's size"
    help_ = (use_backend("job"), "remove it")
    yield error(codes.UNSUPPORTED_BY_BACKEND, message, context.spec.where("elastic"), help=help_)
