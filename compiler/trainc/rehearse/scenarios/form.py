"""The pods start and form the world of `trainc plan`.

All pods start together. Every rank must exist exactly once, on the pod where the plan places it; all ranks must have
the same MASTER_ADDR; an all-reduce must return the right sum; and each pod must run the command line and environment
of the plan. An elastic job must form a world of its initial size.
"""

from __future__ import annotations

from trainc.rehearse import compare
from trainc.rehearse.expectations import Expectations
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps


def skip_reason(job: Expectations) -> str:
    """Apply to every job that starts."""
    return ""


def run(observer: Observer) -> None:
    """Start all pods and compare them with the plan."""
    try:
        steps.form(observer)
    finally:  # a wrong command line or environment often explains why no world forms
        compare.compare_startup(observer)
