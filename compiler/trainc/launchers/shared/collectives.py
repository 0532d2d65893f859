"""Waiting inside PyTorch: a program that meets the others only in init_process_group and in its collectives."""

from __future__ import annotations

from typing import Final

from trainc.status.absence import Absence, Consequence

# Timeouts: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/constants.py
COLLECTIVE_TIMEOUTS: Final = "by default 10 min with NCCL and 30 min with gloo"
PEERS_FAIL: Final = f"fail, too, at the latest at the timeout of their next collective ({COLLECTIVE_TIMEOUTS})"


def waiting(absence: Absence) -> Consequence:
    """Return what programs do that wait for absent ones without a launcher that notices."""
    if absence.was_complete:
        message = (
            f"hanging in their next collective until its timeout ({COLLECTIVE_TIMEOUTS}), then their programs fail"
        )
    else:
        message = f"waiting in init_process_group until its timeout ({COLLECTIVE_TIMEOUTS}), then their programs fail"
    return Consequence(message=message)
