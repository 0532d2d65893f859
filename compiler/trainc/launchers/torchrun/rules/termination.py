"""Signals and a grace period without effect."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.spec import Torchrun, is_older, torch_version
from trainc.launchers.torchrun.traits import TRAITS

TRIGGERS = ("launch.torchrun.signals", "lifecycle.terminationGracePeriodSeconds")


def check(context: RuleContext) -> Diagnostics:
    """Require SIGTERM, which Kubernetes sends, and a torch that can use a long grace period."""
    launch, lifecycle = Torchrun.of(context.spec), context.spec.lifecycle
    if launch.is_torchelastic:
        return
    if launch.signals and "SIGTERM" not in launch.signals:
        # torchrun is the container's first process, for which the kernel drops signals without a handler.
        message = "without SIGTERM torchrun ignores the deletion of its pod, which is killed after the grace period"
        yield warning(codes.SIGTERM_IGNORED, message, launch.where("signals"), help="add SIGTERM")
    grace = lifecycle.termination_grace_period_seconds
    where = lifecycle.where("terminationGracePeriodSeconds")
    fixed = TRAITS.shutdown_timeout or 0  # before torch 2.12 no option changes it
    torch = torch_version(context.spec)
    if torch is not None and (grace or 0) > fixed and is_older(torch, BY_NAME["shutdown_timeout"].since):
        message = f"torchrun of torch {torch} kills processes {fixed} s after SIGTERM"
        message += ": the longer grace period has no effect"
        related = [(torch.span, "torch 2.12 added a shutdown timeout")]
        yield warning(codes.UNUSED_GRACE_PERIOD, message, where, related=related)
