"""A queue that is named twice, and an elastic job whose size Kueue keeps from changing."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.source.node import Mapping
from trainc.span import Span
from trainc.systems.shared.objects import kueue
from trainc.well_known import QUEUE_LABEL

TRIGGERS = ("scheduling.queue", "elastic")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Only a Job of Kueue's may have fewer workers than its maximum."""
    labels = context.spec.metadata.node.get("labels")
    label = None
    if isinstance(labels, Mapping):
        yield from _given_twice(context, labels)
        label = labels.entries.get(QUEUE_LABEL)
    elastic, queue = context.spec.elastic, context.spec.scheduling.where("queue")
    if elastic is None or not context.job.replicas.elastic:
        return
    other = Related(span=context.spec.where("elastic"), message="the elastic range")
    if context.system.queued == "at fixed size" and (context.job.queue is not None or label is not None):
        # https://kueue.sigs.k8s.io/docs/tasks/run/statefulset/#c-scaling
        message = f"Kueue refuses to change the number of replicas of {context.system.a_kind}: it can't be elastic"
        help_ = "use the back end job, or leave elastic out"
        where = label.key.span if label is not None and context.job.queue is None else queue
        yield error(codes.QUEUE_NOT_ELASTIC, message, where, help=help_, related=[other])
    if context.job.queue is None or context.system.queued not in ("whole", "by pods"):
        return
    if context.system.has_controller:
        yield from _operator(context, queue, other)
    else:
        message = f"Kueue starts all {elastic.max_replicas} Pods of maxReplicas or none"
        help_ = "use the back end job, which starts when there is quota for minReplicas"
        yield warning(codes.QUEUE_NOT_ELASTIC, message, queue, help=help_, related=[other])


def _operator(context: RuleContext, queue: Span, other: Related) -> Iterator[Diagnostic]:
    """A running job whose size no longer is that of its Workload is stopped: ensureOneWorkload of
    pkg/controller/jobframework/reconciler.go in kubernetes-sigs/kueue."""
    if context.system.is_scalable and context.job.scaling is not None:
        message = f"Kueue stops {context.system.a_kind} whose number of workers changes, and has it wait again"
        message += ": it can't be elastic"
        help_ = "use the back end job, or leave elastic.metrics out"
        yield error(codes.QUEUE_NOT_ELASTIC, message, queue, help=help_, related=[other])
    else:
        yield from _all(context, queue, other)


def _all(context: RuleContext, queue: Span, other: Related) -> Iterator[Diagnostic]:
    initial = context.job.replicas.initial
    if initial > context.job.replicas.minimum:
        message = f"Kueue starts all {initial} workers or none"
        help_ = "use the back end job, which starts when there is quota for minReplicas, or give fewer workers"
        yield warning(codes.QUEUE_NOT_ELASTIC, message, queue, help=help_, related=[other])


def _given_twice(context: RuleContext, labels: Mapping) -> Iterator[Diagnostic]:
    for name in kueue.named(context.job.queue) if context.job.queue else ():
        label = labels.entries.get(name)
        if label is not None:
            other = Related(span=context.spec.scheduling.where("queue"), message="the queue is also given here")
            message = f"the label `{name}` is what `scheduling.queue` sets"
            yield error(codes.DUPLICATE_QUEUE, message, label.key.span, help="leave the label out", related=[other])
