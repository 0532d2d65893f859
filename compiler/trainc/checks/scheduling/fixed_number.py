"""`workers` below `maxReplicas` on a system that cannot change the number of workers of a running job."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, remove, warning

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Diagnostics:
    """Compare the fixed number of pods with the launcher's maximum."""
    elastic, replicas, system = context.spec.elastic, context.job.replicas, context.system
    if elastic is None or system.is_scalable or system.scale_by_hand or system.scales_fixed_worlds:
        return
    low, high = replicas.minimum, replicas.maximum
    # the rule `elastic` reports numbers outside the bounds, and launchers of a fixed world size
    if not context.spec.launch.traits.is_elastic or not low <= replicas.initial < high:
        return
    message = f"the job never grows to its maximum of {high}: {system.a_kind} keeps its {replicas.initial} workers"
    where = context.spec.where("workers")
    related = [] if context.file_kind else [(elastic.where("maxReplicas"), "never reached")]
    help_ = context.cure(
        "remove it to start `maxReplicas` workers, or use `--backend job`", f"start {high} pods, or lower the maximum"
    )
    remedy = None if context.file_kind else remove(where)
    yield warning(codes.NEVER_GROWS, message, where, help=help_, related=related, remedy=remedy)
