"""Help that names the variable with a worker's index."""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.ir.env import PodFact


def index_help(context: RuleContext) -> str | None:
    """Return the job's own variable, else the controller's, else one from the controller's label."""
    system, has_leader = context.system, context.job.has_leader_role
    own = [] if context.in_own_system else [each.name for each in context.job.pod.env if each.value is PodFact.INDEX]
    names = [name for name in own if not name.startswith("TRAINC_")]
    names += filter(None, (system.index_variable_with_leader if has_leader else system.index_variable,))
    if names:
        return f"use {names[0]}, the worker's index"
    label = "" if has_leader else context.backend.index_label
    return f"set a variable from metadata.labels['{label}'], the worker's index" if label else None
