"""Pods of a StatefulSet: their number at the start, and their restart after the program has completed."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, remove, use_backend, warning

TRIGGERS = ("always()",)


def check(context: RuleContext) -> Diagnostics:
    yield from _first_size(context)
    yield from _restarted_program(context)


def _first_size(context: RuleContext) -> Diagnostics:
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


def _restarted_program(context: RuleContext) -> Diagnostics:
    """Report programs that end: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy"""
    if context.spec.mode.name == "run" and not context.job.ends_itself:
        message = "a StatefulSet restarts a completed program: training runs until you delete it"
        help_: Help = use_backend("job")
        if context.in_own_system:
            help_ = "use a Job, which completes"
        elif context.job.namespace is None:
            own = "set the namespace, so that worker 0 can scale the set to zero when it is done"
            help_ = (use_backend("job"), own)
        yield warning(codes.RESTARTS_AFTER_COMPLETION, message, context.job.origin, help=help_)
