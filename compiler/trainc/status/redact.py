"""Redaction of a status: messages of events and containers may repeat secrets of the job."""

from __future__ import annotations

from trainc.plan.redact import Redactor
from trainc.status.status import JobStatus

_KEPT = frozenset(("manifest", "planned"))  # read for the status, and never printed


def redact_statuses(statuses: list[JobStatus]) -> list[JobStatus]:
    """Return the statuses without secrets."""
    return [Redactor(status.plan.workers, _KEPT)(status) for status in statuses]
