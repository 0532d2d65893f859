"""When this happens, that follows: what all that tell so share."""

from __future__ import annotations

from typing import Any, NamedTuple

from trainc.plan.fields import items, mapping, text

DISRUPTION = "a node is drained, a pod preempted or evicted"


class FailureCase(NamedTuple):
    """What happens, and what follows."""

    trigger: str
    effect: str


def times(number: int) -> str:
    """How often, in words."""
    return "once" if number == 1 else "twice" if number == 2 else f"{number} times"


def autoscaler_metrics(policy: Any) -> str:
    """What an autoscaler goes by: its metrics, which are those of autoscaling/v2."""
    found = []
    for one in items(policy, "metrics"):
        of: Any = next((value for key, value in one.items() if key != "type"), {})
        name = text(of, "name") or text(of, "metric", "name")
        target = mapping(of, "target")
        aim = next((value for key, value in target.items() if key != "type"), "")
        found.append(f"{name} at {aim}{' %' if text(target, 'type') == 'Utilization' else ''}")
    return ", ".join(found) or "cpu at 80 %"
