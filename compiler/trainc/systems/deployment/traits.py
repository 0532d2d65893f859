"""Deployments, which serve a job, as its etcd does, and don't train."""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="deployment",
    kind="Deployment",
    api_versions=("apps/v1",),
    pod_counts=(("spec", "replicas"),),
    trains=False,
    foreign_description="its pods have no numbers, and restart when the program has completed",
    foreign_help="keep it for a service, or run the pod template in a Job with `completionMode: Indexed`",
)
