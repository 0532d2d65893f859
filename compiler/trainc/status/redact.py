"""Redaction of a status: messages of events and containers may repeat secrets of the job."""

from __future__ import annotations

from trainc.plan.redact import Redactor
from trainc.status.status import JobStatus

_KEPT = frozenset(("manifest", "planned"))  # read for the status, and never printed


def redact_statuses(statuses: list[JobStatus], plan_too: bool) -> list[JobStatus]:
    """Return the statuses without secrets. Only pictures need the plan, of which they show each worker."""
    kept = _KEPT if plan_too else _KEPT | {"plan"}
    return [Redactor(status.plan.workers, kept)(status) for status in statuses]
