"""Where a pod may run: fields of its spec."""

from __future__ import annotations

from typing import Any

from trainc.ir.job import Job
from trainc.systems.shared.objects.affinity import with_peers
from trainc.systems.shared.objects.gang import membership
from trainc.systems.shared.objects.labels import selector

# What serves a gang where the job names no other scheduler. Coscheduling is a plugin of whichever has it.
SCHEDULERS = {"volcano": "volcano", "t9k": "t9k-scheduler"}


def placement(job: Job, grouped: bool) -> dict[str, Any]:
    """Variables of shared/pod_spec.yaml.j2. `grouped`: the pods say themselves that they are a gang."""
    place = job.pod.placement
    affinity = place.affinity
    if place.one_a_node or place.colocation:
        affinity = with_peers(place, selector(job))
    scheduler = place.scheduler_name
    if job.gang:
        scheduler = scheduler or SCHEDULERS.get(job.gang.scheduler)
    plain = [("priorityClassName", place.priority_class_name), ("schedulerName", scheduler)]
    blocks = {
        "nodeSelector": place.node_selector,
        "affinity": affinity,
        "tolerations": place.tolerations,
        # Without a selector a constraint counts no pod at all, and spreads nothing.
        "topologySpreadConstraints": [
            {**rule, "labelSelector": rule.get("labelSelector") or {"matchLabels": selector(job)}}
            for rule in place.topology_spread_constraints or ()
        ],
    }
    if grouped and job.gang and job.gang.scheduler == "kubernetes":
        blocks |= membership(job, job.gang)
    return {
        "placement": [(name, value) for name, value in plain if value is not None],
        "placement_blocks": {name: value for name, value in blocks.items() if value},
    }
