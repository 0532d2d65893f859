"""Failure cases: events in the life of a job, and what follows from its policies."""

from __future__ import annotations

from typing import Any, NamedTuple

from trainc.plan.fields import items, mapping, text

DISRUPTION = "node drain, preemption or eviction"
RESTARTED = "its container is restarted"
LOST_POD = "node failure or pod deletion"


class FailureCase(NamedTuple):
    """Event and its effect, both as clauses in the present tense."""

    trigger: str
    effect: str


def times(number: int) -> str:
    """Format a count: `once`, `twice`, `3 times`."""
    return "once" if number == 1 else "twice" if number == 2 else f"{number} times"


def autoscaler_metrics(policy: Any) -> str:
    """Format the metrics of a mapping with `metrics` of autoscaling/v2; without any, Kubernetes' default."""
    formatted = []
    for metric in items(policy, "metrics"):
        source: Any = next((value for key, value in metric.items() if key != "type"), {})
        name = text(source, "name") or text(source, "metric", "name")
        target = mapping(source, "target")
        value = next((value for key, value in target.items() if key != "type"), "")
        formatted.append(f"{name} at {value}{' %' if text(target, 'type') == 'Utilization' else ''}")
    return ", ".join(formatted) or "cpu at 80 %"
