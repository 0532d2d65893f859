"""How worker 0 reaches the others."""

from __future__ import annotations

from trainc.checks.context import RuleContext
from trainc.spec.launch import Deepspeed


def over_ssh(context: RuleContext, launch: Deepspeed) -> bool:
    """By ssh, because the job or the back end's operator wants it so."""
    return launch.transport == "ssh" or context.system.starts_launcher
