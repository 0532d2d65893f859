"""Result of a rehearsal: the expectations of each scenario and whether they held."""

from __future__ import annotations

from typing import Literal

from trainc.record import Record

Outcome = Literal["passed", "failed", "skipped", "not-run"]


class Check(Record):
    """One expectation. `at` is when its result was clear, in seconds since the scenario's start.

    `evidence` is the lines that prove it, or what happened instead.
    """

    expectation: str
    ok: bool
    at: float
    evidence: tuple[str, ...] = ()


class Verdict(Record):
    """Result of one scenario of one job. `reason` says why it was skipped or not run."""

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
    """Return whether any scenario failed or could not run."""
    return any(verdict.outcome in ("failed", "not-run") for verdict in verdicts)
