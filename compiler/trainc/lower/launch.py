"""Start of the processes, by the launcher that the job names."""

from __future__ import annotations

from trainc.ir.launch import Launch
from trainc.ir.pod import Program
from trainc.launchers import registry
from trainc.launchers.lowering import LaunchContext, Rendered


def lower_launch(context: LaunchContext) -> tuple[Launch, Rendered]:
    """Return the typed launch, and its command line and environment; none if the operator starts another launcher."""
    launcher = registry.part(context.job.launch.traits.name, "lower")
    launch: Launch = launcher.lower(context)
    if not context.target.system.starts_launcher:
        return launch, launcher.render(context, launch)
    if hasattr(launcher, "render_operated"):
        return launch, launcher.render_operated(context, launch)
    return launch, Rendered(program=Program(command=(), args=()))
