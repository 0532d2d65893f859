"""Grace period, shutdown timeout and signals that do not fit together."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.spec import Torchrun
from trainc.launchers.torchrun.traits import TRAITS
from trainc.launchers.torchrun.versions import is_older, torch_version
from trainc.well_known import GRACE_PERIOD

TRIGGERS = (
    "launch.torchrun.shutdownTimeout",
    "launch.torchrun.signals",
    "lifecycle.terminationGracePeriodSeconds",
)

FIELD = "terminationGracePeriodSeconds"


def check(context: RuleContext) -> Diagnostics:
    """Require SIGTERM, which Kubernetes sends, and a grace period in which the shutdown timeout has an effect."""
    launch, lifecycle = Torchrun.of(context.spec), context.spec.lifecycle
    if launch.signals and "SIGTERM" not in launch.signals:
        # torchrun is the container's first process, for which the kernel drops signals without a handler.
        message = "without SIGTERM torchrun ignores the deletion of its pod, which is killed after the grace period"
        yield warning(codes.SIGTERM_IGNORED, message, launch.where("signals"), help="add SIGTERM")
    grace = lifecycle.termination_grace_period_seconds
    where = lifecycle.where(FIELD)
    timeout = launch.shutdown_timeout
    if timeout is not None and timeout >= (GRACE_PERIOD if grace is None else grace):
        actual = f"{GRACE_PERIOD} s (the default)" if grace is None else f"{grace} s"
        message = f"the shutdown timeout of {timeout} s is not below the grace period of {actual}"
        related = [] if grace is None else [(where, "the grace period")]
        help_ = f"set lifecycle.{FIELD} to more than {timeout}"
        field = launch.where("shutdownTimeout")
        yield warning(codes.GRACE_PERIOD_TOO_SHORT, message, field, help=help_, related=related)
    fixed = TRAITS.shutdown_timeout or 0  # before torch 2.12 no option changes it
    torch = torch_version(context.spec)
    if torch is not None and (grace or 0) > fixed and is_older(torch, BY_NAME["shutdown_timeout"].since):
        message = f"torchrun of torch {torch} kills processes {fixed} s after SIGTERM"
        message += ": the longer grace period has no effect"
        related = [(torch.span, "torch 2.12 added a shutdown timeout")]
        yield warning(codes.UNUSED_GRACE_PERIOD, message, where, related=related)
