"""Exclusive placement that keeps the workers from starting, and annotations for it without effect."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, warning
from trainc.spec.section import inside
from trainc.systems.jobset.facts import EXCLUSIVE, NODE_SELECTOR

TRIGGERS = ("metadata.annotations",)


def check(context: RuleContext) -> Diagnostics:
    """Report a gang that waits for pods that wait for one of them, and a strategy for nothing.

    ValidateCreate of https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/pod_webhook.go, and
    constructJob of pkg/controllers/jobset_controller.go
    """
    annotations, gang = inside(context.spec.metadata.node, "annotations").entries, context.job.gang
    if NODE_SELECTOR in annotations and EXCLUSIVE not in annotations:
        where = annotations[NODE_SELECTOR].key.span
        message = f"`{NODE_SELECTOR}` has no effect without `{EXCLUSIVE}`"
        yield warning(codes.NOT_EXCLUSIVE, message, where, help="remove it", remedy=remove(where))
    if EXCLUSIVE in annotations and NODE_SELECTOR not in annotations and gang is not None and gang.minimum > 1:
        message = f"the gang starts with {gang.minimum} workers, but with exclusive placement only worker 0 exists"
        message += " until it is scheduled"
        related = [(context.spec.scheduling.where("gang"), "waits for all workers")]
        where, help_ = annotations[EXCLUSIVE].key.span, ("remove it", Message("remove `{scheduling.gang}`"))
        yield error(codes.GANG_WAITS_FOR_LEADER, message, where, help=help_, related=related, remedy=remove(where))
