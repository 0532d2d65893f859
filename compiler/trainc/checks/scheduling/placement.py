"""Gangs, topologies and spot nodes that the cluster or the job's other fields contradict."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, Phrase, RuleContext, codes, error, use_backend, warning
from trainc.ir.pod import Colocation
from trainc.spec.scheduling import SPOT_LABELS
from trainc.spec.section import inside
from trainc.well_known import HOSTNAME_LABEL

TRIGGERS = ("scheduling.gang", "scheduling.topologyKey", "scheduling.spot")

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
