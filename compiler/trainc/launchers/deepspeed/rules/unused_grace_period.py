"""Grace period longer than DeepSpeed's fixed timeout."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning

TRIGGERS = ("lifecycle.terminationGracePeriodSeconds",)

# Seconds between SIGTERM and SIGKILL of a process (observed with DeepSpeed 0.19.8). DeepSpeed stops the processes of a
# pod one after another, so together they may take longer:
# https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py, sigkill_handler
FIXED = 30


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A longer grace period than the fixed timeout has no effect."""
    lifecycle = context.spec.lifecycle
    if (lifecycle.termination_grace_period_seconds or 0) > FIXED:
        message = f"DeepSpeed's launcher kills processes {FIXED} s after SIGTERM: the longer grace period has no effect"
        yield warning(codes.UNUSED_GRACE_PERIOD, message, lifecycle.where("terminationGracePeriodSeconds"))
