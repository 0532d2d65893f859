"""Options of a rehearsal."""

from __future__ import annotations

from pathlib import Path

from trainc.plan.plan import Plan
from trainc.record import Record


class Options(Record):
    """Options of a rehearsal: `pods` and `processes` per pod downscale the job; `patience` and `timeout` in seconds.

    `expected` replaces the plan of the manifests, to test manifests with faults.
    """

    python: str | None = None
    program: Path | None = None
    image: Path | None = None
    pods: int | None = None
    processes: int | None = None
    keep: Path | None = None
    patience: float = 90.0
    timeout: float = 1800.0
    pace: float = 1.0
    expected: Plan | None = None
