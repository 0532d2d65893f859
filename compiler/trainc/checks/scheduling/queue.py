"""Duplicate Kueue queue, and elastic jobs that Kueue does not let scale."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, use_backend, warning
from trainc.source.node import scalar_text
from trainc.spec.lifecycle import Elastic
from trainc.spec.section import inside
from trainc.systems.shared.objects.labels import queue_labels
from trainc.well_known import QUEUE_LABEL

TRIGGERS = ("scheduling.queue", "elastic")


def check(context: RuleContext) -> Diagnostics:
    """Report labels of the queue that `scheduling.queue` sets too, and check an elastic job."""
    labels, queue = inside(context.spec.metadata.node, "labels").entries, context.spec.scheduling.where("queue")
    for name, value in queue_labels(context.job).items():
        if name in labels:
            message, where = (
                Message("label `{}` and `{scheduling.queue}` both set the queue", name),
                labels[name].key.span,
            )
            related, is_same = [(queue, "sets the queue too")], scalar_text(labels[name].value) == value
            remedy = remove(where, safe=is_same)
            yield error(codes.DUPLICATE_QUEUE, message, where, help="remove the label", related=related, remedy=remedy)
    if context.spec.elastic is not None and context.job.replicas.elastic:
        yield from _elastic(context, context.spec.elastic)


def _elastic(context: RuleContext, elastic: Elastic) -> Diagnostics:
    """Check an elastic job. Kueue admits only a Job with fewer workers than its maximum.

    It rejects a change of replicas (https://kueue.sigs.k8s.io/docs/tasks/run/statefulset/#c-scaling), and stops a
    running job whose size differs from its Workload: ensureOneWorkload of pkg/controller/jobframework/reconciler.go in
    kubernetes-sigs/kueue.
    """
    system, replicas = context.system, context.job.replicas
    other = (context.spec.where("elastic"), "the elastic range")
    where = context.spec.scheduling.where("queue")
    label = inside(context.spec.metadata.node, "labels").entries.get(QUEUE_LABEL)
    if system.queued == "at fixed size" and (context.job.queue is not None or label is not None):
        message = f"Kueue does not let {system.a_kind} scale: it rejects a change of replicas"
        where = label.key.span if label is not None and context.job.queue is None else where
        help_ = (use_backend("job"), Message("remove `{elastic}`"))
        yield error(codes.QUEUE_NOT_ELASTIC, message, where, help=help_, related=[other])
    if context.job.queue is None or system.queued not in ("whole", "by pods"):
        return
    if context.job.scaling is not None:
        message = f"Kueue does not let {system.a_kind} scale: it stops the job and queues it again"
        help_ = (use_backend("job"), Message("remove `{elastic.metrics}`"))
        yield error(codes.QUEUE_NOT_ELASTIC, message, where, help=help_, related=[other])
    elif replicas.initial > replicas.minimum and not context.in_own_system:
        message = f"Kueue starts all {replicas.initial} workers or none"
        help_ = (
            use_backend("job", Message(", which starts with quota for {elastic/minReplicas}")),
            Message("reduce `{workers}`"),
        )
        yield warning(codes.QUEUE_NOT_ELASTIC, message, where, help=help_, related=[other])
