"""Workers that must share a node and must not."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error
from trainc.well_known import HOSTNAME_LABEL

TRIGGERS = ("scheduling.topologyKey",)


def check(context: RuleContext) -> Diagnostics:
    """Hostnames differ on every node, so the second worker would stay Pending."""
    pod, scheduling = context.job.pod, context.spec.scheduling
    colocation = pod.placement.colocation
    if colocation is None or not colocation.required or colocation.key != HOSTNAME_LABEL:
        return
    if pod.placement.one_a_node or (pod.host_network and pod.ports):
        network = context.spec.network
        # Two pods with the same host port cannot share a node.
        conflict = (
            network.where("hostNetwork") if network and pod.host_network else scheduling.where("oneWorkerPerNode")
        )
        other = Related(span=conflict, message="conflicts with this")
        message = "`topologyKey: kubernetes.io/hostname` requires one node, but the workers need different nodes"
        help_ = "use a label that several nodes share, like topology.kubernetes.io/zone"
        yield error(codes.TOPOLOGY_CONFLICT, message, scheduling.where("topologyKey"), help=help_, related=[other])
