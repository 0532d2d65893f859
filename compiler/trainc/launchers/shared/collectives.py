"""Waiting inside PyTorch: a program that meets the others only in init_process_group and in its collectives."""

from __future__ import annotations

from trainc.launchers.shared.timeouts import COLLECTIVE_TIMEOUTS
from trainc.status.absence import Absence, Consequence


def waiting(absence: Absence) -> Consequence:
    """Return what programs do that wait for absent ones without a launcher that notices."""
    if absence.was_complete:
        message = (
            f"hanging in their next collective until its timeout ({COLLECTIVE_TIMEOUTS}), then their programs fail"
        )
    else:
        message = f"waiting in init_process_group until its timeout ({COLLECTIVE_TIMEOUTS}), then their programs fail"
    return Consequence(message=message)
