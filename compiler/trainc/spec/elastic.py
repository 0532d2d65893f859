"""`elastic`: bounds of the number of workers, and metrics for an autoscaler."""

from __future__ import annotations

from typing import Any

from trainc.spec.section import Section


class Elastic(Section):
    """Bounds in workers; metrics and behavior in the form of autoscaling/v2."""

    min_replicas: int = 1
    max_replicas: int = 1
    metrics: list[dict[str, Any]] | None
    behavior: dict[str, Any] | None
