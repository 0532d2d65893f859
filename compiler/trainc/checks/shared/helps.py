"""Helps that several rules give: the variable with a worker's index, and changes of an immutable object."""

from __future__ import annotations

from trainc.checks.rule import Message, RuleContext, use_backend
from trainc.ir.env import PodFact
from trainc.systems.registry import NAMES, traits


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


def delete_first(context: RuleContext) -> tuple[str, Message]:
    """Return the advice to delete the object, or to use the first back end whose object accepts the change."""
    mutable = (name for name in NAMES if traits(name).has_controller and not traits(name).template_is_immutable)
    delete = f"run `kubectl delete {context.system.kind.lower()} {context.job.name}` first"
    return delete, use_backend(next(mutable))
