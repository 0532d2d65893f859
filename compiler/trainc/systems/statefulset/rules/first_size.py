"""`workers` of an elastic job that its autoscaler starts with another number."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, warning

TRIGGERS = ("elastic",)


def check(context: RuleContext) -> Diagnostics:
    """Compare `workers` with the autoscaler's minimum, to which it raises a set without `replicas` at once.

    reconcileAutoscaler of pkg/controller/podautoscaler/horizontal.go in kubernetes/kubernetes: below minReplicas it
    reads no metric.
    """
    spec, replicas = context.spec, context.job.replicas
    if spec.elastic is None or context.job.scaling is None or replicas.initial == replicas.minimum:
        return
    message = Message(
        "the autoscaler starts the job with `{elastic/minReplicas}` {}, not with `{workers}` {}",
        replicas.minimum,
        spec.workers,
    )
    related = [(spec.elastic.where("minReplicas"), "the number at the start")]
    where = spec.where("workers")
    if context.file_system is not None:  # where the number does not stand against the autoscaler
        by_hand = Message("remove `{elastic.metrics}`, and scale by hand")
        yield warning(codes.WORKERS_WITH_AUTOSCALER, message, where, help=by_hand, related=related)
        return
    help_ = ("remove workers", Message("set `{elastic.metrics: []}` and scale by hand"))
    yield error(codes.WORKERS_WITH_AUTOSCALER, message, where, help=help_, related=related, remedy=remove(where))
