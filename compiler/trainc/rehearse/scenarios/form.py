"""The pods start and form the world that `trainc plan` says.

All pods start together. Every rank must be there, once, on the pod where the plan has it; all must know the same
MASTER_ADDR; a sum over all ranks must be right; and each pod must have been started with the command line and the
variables of the plan. An elastic job must reach the size that it starts with.
"""

from __future__ import annotations

from trainc.rehearse import judge
from trainc.rehearse.expectations import Promise
from trainc.rehearse.observer import Watch
from trainc.rehearse.scenarios import steps


def why_not(job: Promise) -> str:
    """It fits every job that starts."""
    return ""


def act(watch: Watch) -> None:
    """Start, and judge."""
    try:
        steps.form(watch)
    finally:  # a world that doesn't form often has its reason here
        judge.started(watch)
