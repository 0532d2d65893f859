"""`workers` below `maxReplicas` on a system whose object can't change its number of workers while it runs.

Its controller creates the child Job once, which can be scaled by hand: syncJobScaling is behind a feature gate in
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go
"""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, remove, use_backend, warning

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Diagnostics:
    """Compare the fixed number of pods with the launcher's maximum."""
    elastic, replicas, system = context.spec.elastic, context.job.replicas, context.system
    if elastic is None or system.rejects_elastic or system.is_scalable or system.scales_fixed_worlds:
        return
    if system.scale_by_hand and system.has_elastic_size:
        return
    low, high = replicas.minimum, replicas.maximum
    # the rule `elastic` reports numbers outside the bounds, and launchers of a fixed world size
    if not context.spec.launch.traits.is_elastic or not low <= replicas.initial < high:
        return
    message = f"the job never grows to its maximum of {high}: {system.a_kind} keeps its {replicas.initial} workers"
    by_hand = ""
    if system.scale_by_hand:
        message = f"only by hand does the job grow to its maximum of {high}: the number of {system.a_kind} is fixed"
        command = re.sub(r"\bN\b", str(high), system.scale_by_hand.replace("NAME", context.job.name))
        by_hand = f"scale its Job: {command}"
    where = context.spec.where("workers")
    related = [] if context.file_kind else [(elastic.where("maxReplicas"), "not reached")]
    other = by_hand or ("lower the maximum" if context.file_kind else use_backend("job"))
    all_ = f"start {high} pods" if context.file_kind else "remove it to start `maxReplicas` workers"
    help_ = (all_, other)
    remedy = None if context.file_kind else remove(where)
    yield warning(codes.NEVER_GROWS, message, where, help=help_, related=related, remedy=remedy)
