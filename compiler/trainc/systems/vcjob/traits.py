"""Behavior of Volcano's Jobs: https://github.com/volcano-sh/volcano/tree/v1.15.1"""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="vcjob",
    kind="Job",
    api_versions=("batch.volcano.sh/v1alpha1",),
    operator="the Volcano controller",
    foreign_description="Volcano runs it, not Kubernetes",
    foreign_help="write a job file, and name Volcano's queue in `scheduling.gang.volcano`",
)
