"""Deadline shorter than the rendezvous timeout or the grace period."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, warning
from trainc.span import span_of

TRIGGERS = ("lifecycle.activeDeadlineSeconds",)


def check(context: RuleContext) -> Diagnostics:
    """Check `activeDeadlineSeconds`, which counts from the start of the job, or of each Pod."""
    lifecycle, mode = context.spec.lifecycle, context.spec.mode.name
    deadline, grace = lifecycle.active_deadline_seconds, lifecycle.termination_grace_period_seconds
    if deadline is None or mode != "run" or not context.system.supports("spec.lifecycle.activeDeadlineSeconds"):
        return
    where = lifecycle.where("activeDeadlineSeconds")
    if grace is not None and deadline <= grace:
        message = f"the deadline of {deadline} s does not exceed the grace period of {grace} s"
        other = (lifecycle.where("terminationGracePeriodSeconds"), "the grace period")
        yield warning(codes.DEADLINE_TOO_SHORT, message, where, related=[other])
        return
    rendezvous = context.job.launch.rendezvous
    if rendezvous.timeout is None or context.job.replicas.maximum == 1:
        return
    conf, (key, seconds) = rendezvous.conf, rendezvous.timeout
    timeout = conf.get(key, str(seconds))
    if not re.fullmatch("[0-9]{1,9}", timeout) or deadline >= int(timeout):
        return
    default = "" if key in conf else " (the default)"
    message = f"the deadline of {deadline} s ends the job before the rendezvous times out after {timeout} s{default}"
    help_ = ("raise it", Message("set `{launch.torchrun/rendezvous.conf: {{{}: …}}}`", key))
    related = [(span_of(conf.get(key)), "the rendezvous timeout")]
    yield warning(codes.DEADLINE_TOO_SHORT, message, where, help=help_, related=related)
