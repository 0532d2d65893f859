"""Scheduling fields of a pod spec."""

from __future__ import annotations

from typing import Any

from trainc.ir.job import Job
from trainc.systems.shared.facts import GANG_SCHEDULERS
from trainc.systems.shared.objects.affinity import with_pod_terms
from trainc.systems.shared.objects.gang import membership
from trainc.systems.shared.objects.labels import selector


def placement(job: Job, grouped: bool) -> dict[str, Any]:
    """Return variables of shared/pod_spec.yaml.j2. With `grouped` the pods themselves name their gang."""
    place = job.pod.placement
    affinity = place.affinity
    if place.one_a_node or place.colocation:
        affinity = with_pod_terms(place, selector(job))
    scheduler = place.scheduler_name
    if job.gang:
        scheduler = scheduler or GANG_SCHEDULERS.get(job.gang.scheduler)
    scalars = [("priorityClassName", place.priority_class_name), ("schedulerName", scheduler)]
    blocks = {
        "nodeSelector": place.node_selector,
        "affinity": affinity,
        "tolerations": place.tolerations,
        # A constraint without a selector matches no pod, and so spreads none.
        "topologySpreadConstraints": [
            {**rule, "labelSelector": rule.get("labelSelector") or {"matchLabels": selector(job)}}
            for rule in place.topology_spread_constraints or ()
        ],
    }
    if grouped and job.gang and job.gang.scheduler == "kubernetes":
        blocks |= membership(job, job.gang)
    return {
        "placement": [(name, value) for name, value in scalars if value is not None],
        "placement_blocks": {name: value for name, value in blocks.items() if value},
    }
