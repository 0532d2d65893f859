"""What a rehearsal has shown: for each scenario what should happen, and whether it did."""

from __future__ import annotations

from typing import Literal

from trainc.record import Record

Outcome = Literal["passed", "failed", "skipped", "not-run"]


class Check(Record):
    """One thing that should happen. `at` is when it was clear, in seconds since the scenario's start.

    `evidence` are the lines that prove it, or what was there instead.
    """

    expectation: str
    ok: bool
    at: float
    evidence: tuple[str, ...] = ()


class Verdict(Record):
    """Of one scenario of one job. `reason` says why it doesn't fit or wasn't run; `notes` are worth knowing."""

    job: str
    scenario: str
    description: str
    outcome: Outcome
    seconds: float = 0.0
    reason: str = ""
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()


def failed(verdicts: list[Verdict]) -> bool:
    """Whether something was other than it should be, or could not be shown."""
    return any(one.outcome in ("failed", "not-run") for one in verdicts)
