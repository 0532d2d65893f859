"""Deployments, which serve a job, as its etcd does, and don't train."""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(name="deployment", kind="Deployment", api_versions=("apps/v1",), trains=False)
