"""Waiting inside PyTorch: a program that meets the others only in init_process_group and in its collectives.

Timeouts: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/constants.py
"""

from __future__ import annotations

from trainc.status.absence import Absence, Consequence

_TIMEOUTS = "by default 10 min with NCCL and 30 min with gloo"


def waiting(absence: Absence) -> Consequence:
    """Return what programs do that wait for absent ones without a launcher that notices."""
    if absence.was_complete:
        message = f"hanging in their next collective until its timeout ({_TIMEOUTS}), then their programs fail"
    else:
        message = f"waiting in init_process_group until its timeout ({_TIMEOUTS}), then their programs fail"
    return Consequence(message=message)
