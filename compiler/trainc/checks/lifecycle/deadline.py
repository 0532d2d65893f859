"""Deadline shorter than the rendezvous timeout or the grace period."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.span import span_of

TRIGGERS = ("lifecycle.activeDeadlineSeconds",)

# Option of rendezvous.conf and its default, the seconds that torchrun waits for its peers: c10d and etcd-v2 are dynamic
# (https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py), and
# LaunchConfig gives static and etcd its own default
# (https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/launcher/api.py).
DYNAMIC, OTHERS = ("join_timeout", 600), ("timeout", 900)


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
    launch = context.job.launch
    if not launch.launcher.is_elastic or context.job.replicas.maximum == 1:
        return
    backend, conf = launch.rendezvous.backend, launch.rendezvous.conf
    key, seconds = DYNAMIC if backend in ("c10d", "etcd-v2") else OTHERS
    timeout = conf.get(key, str(seconds))
    if not re.fullmatch("[0-9]{1,9}", timeout) or deadline >= int(timeout):
        return
    default = "" if key in conf else " (the default)"
    message = f"the deadline of {deadline} s ends the job before the rendezvous times out after {timeout} s{default}"
    help_ = f"raise it, or set `rendezvous.conf: {{{key}: …}}`"
    related = [(span_of(conf.get(key)), "the rendezvous timeout")]
    yield warning(codes.DEADLINE_TOO_SHORT, message, where, help=help_, related=related)
