"""Help for a change of a paused job that its object rejects."""

from __future__ import annotations

from trainc.checks.rule import Message, RuleContext, use_backend
from trainc.systems.registry import NAMES, traits


def delete_first(context: RuleContext) -> tuple[str, Message]:
    """Return the advice to delete the object, or to use the first back end whose object accepts the change."""
    mutable = (name for name in NAMES if traits(name).has_controller and not traits(name).template_is_immutable)
    delete = f"run `kubectl delete {context.system.kind.lower()} {context.job.name}` first"
    return delete, use_backend(next(mutable))
