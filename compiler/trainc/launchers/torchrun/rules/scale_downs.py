"""maxRestarts below the number of possible scale-downs."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, remove, warning
from trainc.launchers.torchrun.settings import RESTARTS_WITH_SCALE_DOWNS
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Diagnostics:
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
