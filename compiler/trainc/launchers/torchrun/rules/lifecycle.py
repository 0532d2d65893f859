"""Restarts that do not last for all scale-downs, and signals and a grace period without effect."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, remove, warning
from trainc.launchers.torchrun.options import BY_NAME
from trainc.launchers.torchrun.settings import RESTARTS_WITH_SCALE_DOWNS
from trainc.launchers.torchrun.spec import Torchrun, is_older, torch_version
from trainc.launchers.torchrun.traits import TRAITS

TRIGGERS = ("elastic", "launch.torchrun.signals", "lifecycle.terminationGracePeriodSeconds")


def check(context: RuleContext) -> Diagnostics:
    yield from _scale_downs(context)
    yield from _termination(context)


def _scale_downs(context: RuleContext) -> Diagnostics:
    """Compare maxRestarts with the bounds.

    Every scale-down uses one of torchrun's restarts (observed with torch 2.15).
    """
    launch, elastic = Torchrun.of(context.spec), context.spec.elastic
    is_fixed = context.in_own_system and not context.is_own and elastic is not None and elastic.metrics == []
    if elastic is None or not context.system.is_scalable or is_fixed:
        return
    restarts, steps = launch.max_restarts, elastic.max_replicas - elastic.min_replicas
    is_default = context.is_own and restarts == RESTARTS_WITH_SCALE_DOWNS
    if restarts is not None and restarts < steps and not is_default:
        other = (elastic.where("maxReplicas"), Message("{} above {elastic/minReplicas}", steps))
        message = Message(
            "`{launch.torchrun/maxRestarts}` {} may not last for {} scale-downs, each of which uses one restart",
            restarts,
            steps,
        )
        follow, set_ = (
            Message("remove {launch.torchrun/maxRestarts}: the default is {}", RESTARTS_WITH_SCALE_DOWNS),
            Message("set {launch.torchrun.maxRestarts} to {} or more", steps),
        )
        help_ = context.cure(follow, set_)
        where = launch.where("maxRestarts")
        remedy = None if context.file_kind else remove(where)
        yield warning(codes.MAX_RESTARTS_BELOW_SCALE_DOWNS, message, where, help=help_, related=[other], remedy=remedy)


def _termination(context: RuleContext) -> Diagnostics:
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
