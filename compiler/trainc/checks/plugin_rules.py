"""Rules of other distributions: of a system or launcher, and of the packages that TRAINC_CHECKS names.

Their modules are like trainc's own rules. They aren't indexed: all modules of the package are imported.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from trainc.checks.rule_index import Rules, load


@cache
def rules_of(package: str) -> Rules:
    """Return the rules of a package by their triggers. Raises ModuleNotFoundError if it can't be imported."""
    rules: Rules = {}
    folder = import_module(package)
    for module in iter_modules(folder.__path__, f"{package}."):
        for trigger in import_module(module.name).TRIGGERS:
            rules[trigger] = (*rules.get(trigger, ()), module.name)
    for shared in getattr(folder, "SHARED_RULES", ()):
        for trigger, modules in load()[shared].items():
            rules[trigger] = (*rules.get(trigger, ()), *modules)
    return rules


def rules_inside(package: str) -> Rules:
    """Return the rules of a system's or launcher's package; it needn't have any."""
    return rules_of(f"{package}.rules") if find_spec(f"{package}.rules") else {}
