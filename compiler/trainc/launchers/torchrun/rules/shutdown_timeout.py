"""Shutdown timeout that is not shorter than the pod's grace period."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.launchers.torchrun.spec import Torchrun
from trainc.well_known import GRACE_PERIOD

TRIGGERS = ("launch.torchrun.shutdownTimeout",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Compare torchrun's shutdown timeout with the grace period."""
    options, lifecycle = context.spec.launch, context.spec.lifecycle
    if not isinstance(options, Torchrun) or options.shutdown_timeout is None:
        return
    configured = lifecycle.termination_grace_period_seconds
    grace = GRACE_PERIOD if configured is None else configured
    if options.shutdown_timeout < grace:
        return
    name = "terminationGracePeriodSeconds"
    related = [Related(span=lifecycle.where(name), message="the grace period")] if configured is not None else []
    default = " (the default)" if configured is None else ""
    message = (
        f"the shutdown timeout of {options.shutdown_timeout} s is not below the grace period of {grace} s{default}"
    )
    help_ = f"set lifecycle.{name} to more than {options.shutdown_timeout}"
    yield warning(codes.GRACE_PERIOD_TOO_SHORT, message, options.where("shutdownTimeout"), help=help_, related=related)
