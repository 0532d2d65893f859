"""Modes that a back end does not fully support."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.well_known import JOB_LABEL

TRIGGERS = ("mode",)


def check(context: RuleContext) -> Diagnostics:
    """Bare Pods keep running when the manifests no longer contain them."""
    where = context.spec.where("mode")
    if context.job.paused and not context.system.has_controller:
        message = "`mode: paused` makes no Pods, and leaves those alone that run already"
        help_ = f"stop them: kubectl delete pods -l {JOB_LABEL}={context.job.name}"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help=help_)
    if context.job.paused and context.system.no_pause:
        message = f"{context.system.a_kind} cannot be paused: {context.system.no_pause}"
        help_ = f"run `kubectl delete {context.system.kind.lower()} {context.job.name}`, or use `--backend job`"
        yield error(codes.PAUSE_UNSUPPORTED, message, where, help=help_)
