"""Duplicate Kueue queue, and elastic jobs that Kueue does not let scale."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning
from trainc.source.node import Mapping
from trainc.span import Span
from trainc.systems.shared.objects import kueue
from trainc.well_known import QUEUE_LABEL

TRIGGERS = ("scheduling.queue", "elastic")


def check(context: RuleContext) -> Diagnostics:
    """Kueue admits only a Job with fewer workers than its maximum."""
    labels = context.spec.metadata.node.get("labels")
    label = None
    if isinstance(labels, Mapping):
        yield from _duplicate_labels(context, labels)
        label = labels.entries.get(QUEUE_LABEL)
    elastic, queue = context.spec.elastic, context.spec.scheduling.where("queue")
    if elastic is None or not context.job.replicas.elastic:
        return
    other = Related(span=context.spec.where("elastic"), message="the elastic range")
    if context.system.queued == "at fixed size" and (context.job.queue is not None or label is not None):
        # https://kueue.sigs.k8s.io/docs/tasks/run/statefulset/#c-scaling
        message = f"Kueue does not let {context.system.a_kind} scale: it rejects a change of replicas"
        help_ = "use `--backend job`, or remove elastic"
        where = label.key.span if label is not None and context.job.queue is None else queue
        yield error(codes.QUEUE_NOT_ELASTIC, message, where, help=help_, related=[other])
    if context.job.queue is None or context.system.queued not in ("whole", "by pods"):
        return
    if context.system.has_controller:
        yield from _operator(context, queue, other)
    else:
        message = f"Kueue starts all {elastic.max_replicas} Pods of `maxReplicas` or none"
        help_ = "use `--backend job`, which starts with quota for minReplicas"
        yield warning(codes.QUEUE_NOT_ELASTIC, message, queue, help=help_, related=[other])


def _operator(context: RuleContext, queue: Span, other: Related) -> Diagnostics:
    """Kueue stops a running job whose size differs from its Workload: ensureOneWorkload of
    pkg/controller/jobframework/reconciler.go in kubernetes-sigs/kueue."""
    if context.system.is_scalable and context.job.scaling is not None:
        message = f"Kueue does not let {context.system.a_kind} scale: it stops the job and queues it again"
        help_ = "use `--backend job`, or remove elastic.metrics"
        yield error(codes.QUEUE_NOT_ELASTIC, message, queue, help=help_, related=[other])
    else:
        yield from _all_or_nothing(context, queue, other)


def _all_or_nothing(context: RuleContext, queue: Span, other: Related) -> Diagnostics:
    initial = context.job.replicas.initial
    if initial > context.job.replicas.minimum:
        message = f"Kueue starts all {initial} workers or none"
        help_ = "use `--backend job`, which starts with quota for minReplicas, or reduce `workers`"
        yield warning(codes.QUEUE_NOT_ELASTIC, message, queue, help=help_, related=[other])


def _duplicate_labels(context: RuleContext, labels: Mapping) -> Diagnostics:
    for name in kueue.queue_labels(context.job.queue) if context.job.queue else ():
        label = labels.entries.get(name)
        if label is not None:
            other = Related(span=context.spec.scheduling.where("queue"), message="sets the queue too")
            message = f"label `{name}` and `scheduling.queue` both set the queue"
            yield error(codes.DUPLICATE_QUEUE, message, label.key.span, help="remove the label", related=[other])
