"""Selects and runs the rules of a job.

A rule is a module with `TRIGGERS` and a function `check(context)` that yields diagnostics. Rules in checks/ are for any
job, those in launchers/<name>/rules/ for jobs of that launcher, and those in systems/<name>/rules/ for that target.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from trainc.checks import triggers
from trainc.checks.context import RuleContext
from trainc.checks.rule_index import load
from trainc.diagnostics.diagnostic import Diagnostic


def run_checks(context: RuleContext) -> Iterator[Diagnostic]:
    """Yield the diagnostics of every rule that the job triggers."""
    for name in triggered_rules(context):
        yield from import_module(name).check(context)


def triggered_rules(context: RuleContext) -> list[str]:
    """Return the import paths of the rules that the job triggers."""
    index = load()
    system = type(context.backend).__module__.rpartition(".")[0]
    folders = ("trainc.checks", f"trainc.launchers.{context.job.launch.launcher.name}.rules", f"{system}.rules")
    rules: dict[str, None] = {}
    for folder in folders:
        for trigger, modules in index.get(folder, {}).items():
            if triggers.matches(trigger, context.spec):
                rules.update(dict.fromkeys(modules))
    return list(rules)
