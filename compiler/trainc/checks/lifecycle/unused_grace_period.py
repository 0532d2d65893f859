"""Grace period that the launcher ignores."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.option import version
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("lifecycle.terminationGracePeriodSeconds",)

# Seconds between SIGTERM and SIGKILL of a process: observed with DeepSpeed 0.19.8; torch before 2.12 has no option
# for it. DeepSpeed stops the processes of a pod one after another, so together they may take longer:
# https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py, sigkill_handler
FIXED = 30
WITH_OPTION = (2, 12)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A longer grace period than the launcher's fixed timeout has no effect."""
    launch, lifecycle = context.spec.launch, context.spec.lifecycle
    if (lifecycle.termination_grace_period_seconds or 0) <= FIXED:
        return
    related, launcher = [], "DeepSpeed's launcher"
    if isinstance(launch, Torchrun):
        if launch.torch_version is None or version(launch.torch_version) >= version(BY_NAME["shutdown_timeout"].since):
            return
        related = [Related(span=launch.where("torchVersion"), message="torch 2.12 added a shutdown timeout")]
        launcher = f"torchrun of torch {launch.torch_version}"
    elif not isinstance(launch, Deepspeed):
        return
    message = f"{launcher} kills processes {FIXED} s after SIGTERM: the longer grace period has no effect"
    where = lifecycle.where("terminationGracePeriodSeconds")
    yield warning(codes.UNUSED_GRACE_PERIOD, message, where, related=related)
