"""Grace period longer than DeepSpeed's fixed timeout."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.launchers.deepspeed.traits import TRAITS

TRIGGERS = ("lifecycle.terminationGracePeriodSeconds",)


def check(context: RuleContext) -> Diagnostics:
    """Compare the grace period with the timeout.

    DeepSpeed stops the processes of a pod one after another, so together they may take longer than the timeout:
    https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py, sigkill_handler.
    """
    lifecycle, timeout = context.spec.lifecycle, TRAITS.shutdown_timeout or 0
    if (lifecycle.termination_grace_period_seconds or 0) > timeout:
        message = f"DeepSpeed's launcher kills processes {timeout} s after SIGTERM"
        message += ": the longer grace period has no effect"
        yield warning(codes.UNUSED_GRACE_PERIOD, message, lifecycle.where("terminationGracePeriodSeconds"))
