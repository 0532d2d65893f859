"""Deadlines, which a ToyJob doesn't have."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, warning

TRIGGERS = ("lifecycle.activeDeadlineSeconds",)
NO_DEADLINE = Code("TOY0002", "no-deadline", pages="https://checks.example.com")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Report that the field has no effect."""
    where = context.spec.lifecycle.where("activeDeadlineSeconds")
    yield warning(NO_DEADLINE, "a ToyJob has no deadline", where, help="use `--backend job`")
