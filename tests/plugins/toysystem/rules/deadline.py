"""Deadlines, which a ToyJob doesn't have."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, warning
from trainc.diagnostics.codes import Code

TRIGGERS = ("lifecycle.activeDeadlineSeconds",)
NO_DEADLINE = Code("TOY0002", "no-deadline", pages="https://checks.example.com")


def check(context: RuleContext) -> Diagnostics:
    """Report that the field has no effect."""
    where = context.spec.lifecycle.where("activeDeadlineSeconds")
    yield warning(NO_DEADLINE, "a ToyJob has no deadline", where, help="use `--backend job`")
