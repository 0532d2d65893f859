"""Select and run the rules of a job.

A rule is a module with `TRIGGERS` and a function `check(context)` that yields diagnostics. Rules in checks/ and in
launchers/shared/rules/ are for any job, those in launchers/<name>/rules/ for jobs of that launcher, and those in
systems/<name>/rules/ for that target.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from trainc.checks import triggers
from trainc.checks.job_file import JobFile
from trainc.checks.rule import RuleContext
from trainc.checks.rule_index import Rules, load
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.systems.registry import find

PACKAGES = "TRAINC_CHECKS"  # names packages of rules of other distributions, separated by commas


def run_checks(context: RuleContext) -> Iterator[Diagnostic]:
    """Yield the diagnostics of every rule that the job triggers."""
    for name in triggered_rules(context):
        yield from _rule(name).check(context)


_rule = cache(import_module)


def triggered_rules(context: RuleContext) -> list[str]:
    """Return the import paths of the rules that the job triggers."""
    selected: dict[str, None] = {}
    file = JobFile(context.spec)
    for rules in _candidates(context):
        for modules in triggers.selected(rules, file):
            selected.update(dict.fromkeys(modules))
    return list(selected)


def _candidates(context: RuleContext) -> Iterator[Rules]:
    """Yield the rules for any job, and those of the job's launcher, of the target system and of TRAINC_CHECKS."""
    index = load()
    yield index["trainc.checks"]
    yield index["trainc.launchers.shared.rules"]
    launcher = type(context.spec.launch).__module__.rpartition(".")[0]
    for package in (launcher, find(context.target.backend).package):
        if package.startswith("trainc."):
            yield index.get(f"{package}.rules", {})
        else:
            from trainc.checks.plugin_rules import rules_inside

            yield rules_inside(package)
    if packages := os.environ.get(PACKAGES):
        from trainc.checks.plugin_rules import rules_named

        yield from rules_named(packages)
