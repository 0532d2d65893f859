"""Events that the probe prints to a pod's output: one JSON object a line (probe.py)."""

from __future__ import annotations

import json
from typing import Any

from trainc.record import Record
from trainc.rehearse.events import Event

_PREFIX = '{"probe": '


class ProbeEvent(Record):
    """One line of one rank. `kind` is started, world, step, sigterm, saving, saved, failed, exiting, done, ..."""

    at: float
    pod: str
    kind: str
    rank: int | None
    fields: dict[str, Any]

    def number(self, name: str) -> int | None:
        """Return an integer field; None if it is missing or not an integer."""
        value = self.fields.get(name)
        return value if isinstance(value, int) else None

    def text(self, name: str) -> str:
        """Return a string field; empty if it is missing or not a string."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""


def parse_probe_event(event: Event) -> ProbeEvent | None:
    """Parse a line of output; None if the probe didn't print it. A launcher may have put a prefix before it."""
    if event.kind != "line":
        return None
    start = event.text.find(_PREFIX)
    if start < 0:
        return None
    try:
        fields, _ = json.JSONDecoder().raw_decode(event.text[start:])
    except ValueError:
        return None
    rank = fields.get("rank")
    return ProbeEvent(
        at=event.at,
        pod=event.pod,
        kind=str(fields["probe"]),
        rank=rank if isinstance(rank, int) else None,
        fields=fields,
    )
