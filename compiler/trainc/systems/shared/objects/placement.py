"""Scheduling fields of pods: node selection, affinity, spreading, and membership in a gang."""

from __future__ import annotations

from trainc.ir.job import Gang, Job
from trainc.ir.pod import Placement
from trainc.span import like
from trainc.systems.shared.facts import GANG_SCHEDULERS, WORKLOAD
from trainc.systems.shared.objects.labels import selector
from trainc.typenames import Any
from trainc.well_known import HOSTNAME_LABEL

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def placement(job: Job) -> dict[str, Any]:
    """Return the scheduling fields of a pod's spec; those that the job lacks are None or empty."""
    place, gang = job.pod.placement, job.gang
    scheduler = place.scheduler_name or (GANG_SCHEDULERS.get(gang.scheduler) if gang else None)
    own_affinity = place.one_a_node or place.colocation
    return {
        "priorityClassName": place.priority_class_name,
        "schedulerName": scheduler,
        "nodeSelector": place.node_selector,
        "affinity": _with_pod_terms(place, selector(job)) if own_affinity else place.affinity,
        "tolerations": place.tolerations,
        # A constraint without a selector matches no pod, and so spreads none.
        "topologySpreadConstraints": [
            like(rule, {**rule, "labelSelector": rule.get("labelSelector") or {"matchLabels": selector(job)}})
            for rule in place.topology_spread_constraints or ()
        ],
        **(_membership(job, gang) if gang and gang.scheduler == "kubernetes" else {}),
    }


def _membership(job: Job, gang: Gang) -> dict[str, Any]:
    """Return the reference to the pod's group: https://kubernetes.io/docs/concepts/workloads/pods/scheduling-group/"""
    if gang.version == WORKLOAD:
        return {"workloadRef": {"name": job.name, "podGroup": job.role}}
    return {"schedulingGroup": {"podGroupName": job.name}}


def _with_pod_terms(place: Placement, selector: dict[str, str]) -> dict[str, Any]:
    """Return the job's affinity with terms that select its own pods.

    The first pod with a required term that only its own job satisfies can be scheduled anywhere:
    https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
    """
    terms: list[tuple[str, str, dict[str, Any]]] = []
    peers = {"matchLabels": selector}
    if place.colocation:
        term: dict[str, Any] = {"labelSelector": peers, "topologyKey": place.colocation.key}
        if place.colocation.required:
            terms.append(("podAffinity", REQUIRED, term))
        else:
            terms.append(("podAffinity", PREFERRED, {"weight": 100, "podAffinityTerm": term}))
    if place.one_a_node:
        terms.append(("podAntiAffinity", REQUIRED, {"labelSelector": peers, "topologyKey": HOSTNAME_LABEL}))
    affinity = like(place.affinity, dict(place.affinity or {}))
    for kind, field, term in terms:
        rules = affinity.get(kind) or {}
        affinity[kind] = like(rules, {**rules, field: [*(rules.get(field) or []), term]})
    return affinity
