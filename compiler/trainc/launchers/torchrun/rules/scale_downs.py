"""Restarts that scaling down uses up."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.launchers.torchrun.passthrough import RESTARTS_WHERE_SCALED_DOWN
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("launch.torchrun.maxRestarts",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every scale-down costs torchrun one of its restarts (seen with torch 2.15)."""
    launch, elastic = context.spec.launch, context.spec.elastic
    if not isinstance(launch, Torchrun) or elastic is None or not context.system.is_scalable:
        return
    given, steps = launch.max_restarts, elastic.max_replicas - elastic.min_replicas
    if given is not None and given < steps:
        other = Related(span=elastic.where("maxReplicas"), message=f"the {steps} workers above minReplicas")
        message = f"each scale-down costs torchrun a restart, and {given} may not last for {steps}"
        help_ = f"leave maxRestarts out: it is {RESTARTS_WHERE_SCALED_DOWN} here, and failed pods start again anyway"
        yield warning(
            codes.MAX_RESTARTS_BELOW_SCALE_DOWNS, message, launch.where("maxRestarts"), help=help_, related=[other]
        )
