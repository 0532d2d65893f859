"""Number of processes in a pod that differs from its GPUs."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext
from trainc.checks.shared.process_count import compare_with_gpus

TRIGGERS = ("sets_process_count()", "podTemplate")


def check(context: RuleContext) -> Diagnostics:
    """Check an explicit number: the default is the number of GPUs, and 1 with basic."""
    launch = context.spec.launch
    field, count = launch.traits.processes_field, launch.requested_processes
    if count is not None and launch.gives(field):
        help_ = f"remove {field}: the default is one process per GPU"
        if not launch.traits.follows_gpus:
            help_ = f"set {field} to the number of GPUs"
        yield from compare_with_gpus(context, count, launch.where(field), help_)
