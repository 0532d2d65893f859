"""List of signals without SIGTERM, which Kubernetes sends."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.signals",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun is the container's first process, for which the kernel drops signals without a handler."""
    options = context.spec.launch
    if isinstance(options, Torchrun) and options.signals and "SIGTERM" not in options.signals:
        message = "without SIGTERM torchrun ignores the deletion of its pod, which is killed after the grace period"
        yield warning(codes.SIGTERM_IGNORED, message, options.where("signals"), help="add SIGTERM")
