"""Transport by which worker 0 starts the other workers."""

from __future__ import annotations

from trainc.checks.context import RuleContext
from trainc.launchers.deepspeed.spec import Deepspeed


def over_ssh(context: RuleContext, launch: Deepspeed) -> bool:
    """Whether worker 0 starts the others over ssh: by the job's transport or by the operator."""
    return launch.transport == "ssh" or context.system.starts_launcher
