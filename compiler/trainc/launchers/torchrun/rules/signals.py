"""A list of signals without the one that Kubernetes sends."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.signals",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun is the container's first process, to which a signal without a handler does nothing."""
    options = context.spec.launch
    if isinstance(options, Torchrun) and options.signals and "SIGTERM" not in options.signals:
        message = "without SIGTERM a pod that is deleted or drained is killed and its program never hears of it"
        yield warning(codes.SIGTERM_IGNORED, message, options.where("signals"), help="add SIGTERM")
