"""What the probe says in a pod's output: one JSON line an event (probe.py)."""

from __future__ import annotations

import json
from typing import Any

from trainc.record import Record
from trainc.rehearse.events import Event

_MARK = '{"probe": '


class ProbeEvent(Record):
    """One line of one rank. `index` is its pod's; `what` is up, world, step, told, saving, saved, failed, done, …"""

    at: float
    pod: str
    what: str
    rank: int | None
    facts: dict[str, Any]

    def number(self, name: str) -> int | None:
        """A fact that is a number; None where it is none."""
        found = self.facts.get(name)
        return found if isinstance(found, int) else None

    def text(self, name: str) -> str:
        """A fact that is a text; empty where it is none."""
        found = self.facts.get(name)
        return found if isinstance(found, str) else ""


def parse_probe_event(event: Event) -> ProbeEvent | None:
    """What a line of output says; None of a line that isn't the probe's. A launcher may have put its own before it."""
    if event.kind != "line":
        return None
    start = event.text.find(_MARK)
    if start < 0:
        return None
    try:
        facts, _ = json.JSONDecoder().raw_decode(event.text[start:])
    except ValueError:
        return None
    rank = facts.get("rank")
    return ProbeEvent(
        at=event.at, pod=event.pod, what=str(facts["probe"]), rank=rank if isinstance(rank, int) else None, facts=facts
    )
