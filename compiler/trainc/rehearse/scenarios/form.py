"""The pods start and form the world that `trainc plan` says.

All pods start together. Every rank must be there, once, on the pod where the plan has it; all must know the same
MASTER_ADDR; a sum over all ranks must be right; and each pod must have been started with the command line and the
variables of the plan. An elastic job must reach the size that it starts with.
"""

from __future__ import annotations

from trainc.rehearse import compare
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """It fits every job that starts."""
    return ""


def run(watch: Observer) -> None:
    """Start, and judge."""
    try:
        steps.form(watch)
    finally:  # a world that doesn't form often has its reason here
        compare.compare_startup(watch)
