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
from itertools import chain

from trainc.checks import triggers
from trainc.checks.job_file import JobFile
from trainc.checks.rule import RuleContext
from trainc.checks.rule_index import Rules, load
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.systems.registry import find

_OWN = "trainc."  # prefix of the packages of trainc's own launchers and systems
PACKAGES = "TRAINC_CHECKS"  # names packages of rules of other distributions, separated by commas


def run_checks(context: RuleContext) -> Iterator[Diagnostic]:
    """Yield the diagnostics of every rule that the job triggers."""
    for name in triggered_rules(context):
        yield from _rule(name).check(context)


_rule = cache(import_module)


def triggered_rules(context: RuleContext) -> list[str]:
    """Return the import paths of the rules that the job triggers."""
    launcher = type(context.spec.launch).__module__.rpartition(".")[0]
    system = find(context.target.backend).package
    rules = _rules(launcher, system, os.environ.get(PACKAGES, ""), context.packages)
    modules = triggers.selected(rules, JobFile(context.spec))
    return list(dict.fromkeys(chain.from_iterable(modules)))


@cache
def _rules(launcher: str, system: str, packages: str, own: tuple[str, ...] = ()) -> Rules:
    """Return by their triggers the rules for any job, those of a launcher and a system, of TRAINC_CHECKS and `own`."""
    merged: Rules = {}
    for rules in _candidates(launcher, system, ",".join(filter(None, (packages, *own)))):
        for trigger, modules in rules.items():
            merged[trigger] = (*merged.get(trigger, ()), *modules)
    return merged


def _candidates(launcher: str, system: str, packages: str) -> Iterator[Rules]:
    index = load()
    yield index["trainc.checks"]
    yield index["trainc.launchers.shared.rules"]
    yield index.get(f"{launcher}.rules", {})
    yield index.get(f"{system}.rules", {})
    plugins = [package for package in (launcher, system) if not package.startswith(_OWN)]
    if plugins or packages:
        from trainc.checks.plugin_rules import rules_inside, rules_named

        yield from map(rules_inside, plugins)
        yield from rules_named(packages)
