"""Workers that must be on one node and on different ones."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.case import Case
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error


def check(case: Case) -> Iterator[Diagnostic]:
    """Every node has a hostname of its own: the second worker would wait forever."""
    place, scheduling = case.job.pod.placement, case.spec.scheduling
    if place.one_a_node and place.together and place.together.key == "kubernetes.io/hostname":
        other = Related(span=scheduling.where("oneWorkerPerNode"), message="conflicts with this")
        message = "workers can't share a node's hostname and be on different nodes"
        help_ = "name a label that several nodes share, like topology.kubernetes.io/zone"
        yield error(codes.TOPOLOGY_CONFLICT, message, scheduling.where("topologyKey"), help=help_, related=[other])
