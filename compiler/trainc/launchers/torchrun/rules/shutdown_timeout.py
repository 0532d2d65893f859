"""A checkpoint on SIGTERM that is cut off: the launcher would wait longer than the pod lives."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.launchers.torchrun.spec import Torchrun
from trainc.well_known import GRACE_PERIOD

TRIGGERS = ("launch.torchrun.shutdownTimeout",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun's shutdown timeout against the pod's grace period."""
    options, lifecycle = context.spec.launch, context.spec.lifecycle
    if not isinstance(options, Torchrun) or options.shutdown_timeout is None:
        return
    given = lifecycle.termination_grace_period_seconds
    grace = GRACE_PERIOD if given is None else given
    if options.shutdown_timeout < grace:
        return
    name = "terminationGracePeriodSeconds"
    related = [Related(span=lifecycle.where(name), message="the grace period")] if given is not None else []
    default = " (the default)" if given is None else ""
    waits = f"torchrun waits {options.shutdown_timeout} s for its processes to end"
    message = f"{waits}, and the kubelet kills the pod after {grace} s{default}"
    help_ = f"give lifecycle.{name} more than the processes and their launcher need"
    yield warning(codes.GRACE_PERIOD_TOO_SHORT, message, options.where("shutdownTimeout"), help=help_, related=related)
