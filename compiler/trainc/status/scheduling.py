"""Reasons why a pod has no node: the scheduler's counts, gates, or no scheduler."""

from __future__ import annotations

import re

from trainc.plan.fields import Object, items, text
from trainc.record import Record

# "0/4 nodes are available: 3 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint(s). preemption: …"
# https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/scheduler/framework/types.go, FitError.Error
_MESSAGE = re.compile(r"0/(\d{1,9}) nodes are available: (?P<reasons>.*?)(?:\.\s.*|\.)?", re.DOTALL)
_COUNT = re.compile(r"(\d{1,9}) (.+)")
_SEPARATOR = re.compile(r", (?=\d+ )")


class Refusal(Record):
    """Nodes on which a pod does not fit, for one reason. A node can count for several reasons."""

    nodes: int
    reason: str


class Unschedulable(Record):
    """Scheduler's last attempt: number of nodes in the cluster, and why none fits.

    `nodes` is None and `refusals` are empty if the message, `reasons`, has another form.
    """

    nodes: int | None
    refusals: tuple[Refusal, ...]
    reasons: str

    def __str__(self) -> str:
        return self.reasons if self.nodes is None else f"none of {self.nodes} nodes fits: {self.reasons}"


def unschedulable(pod: Object) -> Unschedulable | None:
    """Return why the scheduler finds no node; None if it does, or has not tried."""
    condition = _scheduled_condition(pod)
    if text(condition, "status") != "False" or text(condition, "reason") == "SchedulingGated":
        return None
    return parse_counts(text(condition, "message") or text(condition, "reason"))


def parse_counts(message: str) -> Unschedulable:
    """Parse the scheduler's message."""
    message = " ".join(message.split())
    match = _MESSAGE.fullmatch(message)
    if match is None:
        return Unschedulable(nodes=None, refusals=(), reasons=message)
    parts = [_COUNT.fullmatch(part) for part in _SEPARATOR.split(match["reasons"])]
    refusals = tuple(Refusal(nodes=int(part[1]), reason=part[2]) for part in parts if part)
    return Unschedulable(nodes=int(match[1]), refusals=refusals, reasons=match["reasons"])


def gates(pod: Object) -> list[str]:
    """Return the scheduling gates that hold a pod back: the scheduler ignores it until all are removed."""
    return [text(gate, "name") for gate in items(pod, "spec", "schedulingGates")]


def scheduler_has_tried(pod: Object) -> bool:
    """Return whether a scheduler has reported about a pod."""
    return bool(_scheduled_condition(pod))


def _scheduled_condition(pod: Object) -> Object:
    conditions = items(pod, "status", "conditions")
    return next((each for each in conditions if text(each, "type") == "PodScheduled"), {})
