"""Queues, gangs, topologies and spot nodes that the cluster, Kueue or the job's other fields contradict."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, remove, use_backend, warning
from trainc.ir.pod import Colocation
from trainc.source.node import scalar_text
from trainc.spec.lifecycle import Elastic
from trainc.spec.scheduling import SPOT_LABELS
from trainc.spec.section import inside
from trainc.systems.shared.objects.labels import queue_labels
from trainc.well_known import HOSTNAME_LABEL, QUEUE_LABEL

TRIGGERS = ("scheduling.queue", "elastic", "scheduling.gang", "scheduling.topologyKey", "scheduling.spot")

# https://kubernetes.io/docs/concepts/scheduling-eviction/gang-scheduling/
OLDEST_WITH_GANGS = 35


def check(context: RuleContext) -> Diagnostics:
    gang = context.job.gang
    if gang is not None and gang.scheduler == "kubernetes" and gang.version < OLDEST_WITH_GANGS:
        message = Message(
            "`{scheduling/gang: kubernetes}` requires Kubernetes 1.{}, but the target is 1.{}",
            OLDEST_WITH_GANGS,
            gang.version,
        )
        help_ = f"set --kubernetes-version 1.{OLDEST_WITH_GANGS} or newer, or use volcano or coscheduling"
        yield error(codes.KUBERNETES_TOO_OLD, message, context.spec.scheduling.where("gang"), help=help_)
    yield from _topology(context)
    if context.spec.scheduling.spot is not None:
        yield from _spot(context, context.spec.scheduling.spot)
    yield from _queue(context)


def _topology(context: RuleContext) -> Diagnostics:
    """Check `topologyKey`: hostnames differ on every node, so the second worker would stay Pending."""
    pod, scheduling = context.job.pod, context.spec.scheduling
    needs_nodes = pod.placement.one_a_node or (pod.host_network and pod.ports)
    if needs_nodes and pod.placement.colocation == Colocation(key=HOSTNAME_LABEL, required=True):
        # Two pods with the same host port cannot share a node.
        other = (pod.host_network or scheduling.where("oneWorkerPerNode"), "conflicts with this")
        message = "`topologyKey: kubernetes.io/hostname` requires one node, but the workers need different nodes"
        help_ = "use a label that several nodes share, like topology.kubernetes.io/zone"
        yield error(codes.TOPOLOGY_CONFLICT, message, scheduling.where("topologyKey"), help=help_, related=[other])


def _spot(context: RuleContext, provider: str) -> Diagnostics:
    """Check `spot`: a spot node has one value of the provider's label, and is reclaimed sooner or later."""
    scheduling = context.spec.scheduling
    where, (key, value) = scheduling.where("spot"), SPOT_LABELS[provider]
    if (scheduling.node_selector or {}).get(key, value) != value:
        message: Phrase = Message(
            "`{scheduling/spot: {}}` selects nodes with {}={}, but the node selector excludes them",
            provider,
            key,
            value,
        )
        selector = inside(scheduling.node, "nodeSelector").where(key)
        other = (where, "conflicts with this")
        yield error(codes.SPOT_SELECTOR_CONFLICT, message, selector, help="remove one of them", related=[other])
    if not context.system.has_controller:
        # https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-lifetime
        message = "no controller replaces a Pod whose spot node is reclaimed"
        help_ = use_backend("job", ", which replaces it and does not count it as a failure")
        yield warning(codes.SPOT_POD_NOT_REPLACED, message, where, help=help_)


def _queue(context: RuleContext) -> Diagnostics:
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
