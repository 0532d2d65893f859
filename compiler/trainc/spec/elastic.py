"""`elastic`: between which bounds workers may come and go, and by which metrics."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping
from trainc.spec.section import Section, anything, mapping, number


class Elastic(Section):
    """Bounds in workers; metrics and behavior in autoscaling/v2's form, None when not given."""

    min_replicas: int
    max_replicas: int
    metrics: list[dict[str, Any]] | None
    behavior: dict[str, Any] | None


def read_elastic(node: Mapping) -> Elastic | None:
    """The section, or None for a job of fixed size."""
    section = mapping(node, "elastic")
    if section is None:
        return None
    return Elastic(
        node=section,
        min_replicas=number(section, "minReplicas") or 1,
        max_replicas=number(section, "maxReplicas") or 1,
        metrics=anything(section, "metrics"),
        behavior=anything(section, "behavior"),
    )
