"""Behavior of ToyJobs under the toy operator."""

from __future__ import annotations

from trainc.systems.traits import Traits

CONTAINER = "toy"

TRAITS = Traits(
    name="toyjob",
    kind="ToyJob",
    api_versions=("toy.example.com/v1",),
    operator="the toy operator",
    versions=("2", "1"),
    version_name="toy",
    unsupported={"spec.lifecycle.backoffLimitPerIndex": "the toy operator counts the failures of all pods together"},
    container=CONTAINER,
    container_restarts="by default",
)
