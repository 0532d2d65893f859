"""How worker 0 reaches the others."""

from __future__ import annotations

from trainc.checks.context import Case
from trainc.spec.launch import Deepspeed


def over_ssh(case: Case, launch: Deepspeed) -> bool:
    """By ssh, because the job or the back end's operator wants it so."""
    return launch.transport == "ssh" or case.backend.starts_deepspeed
