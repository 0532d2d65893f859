"""Rules of other distributions: of a system or launcher, of the packages that TRAINC_CHECKS names, and of projects.

Their modules are like trainc's own rules. They aren't indexed: all modules of the package are imported, but for those
whose names begin with an underscore.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import IO

from trainc.checks import triggers
from trainc.checks.rule_index import Rules, load
from trainc.diagnostics.codes import Code
from trainc.launchers.registry import plugins as launchers
from trainc.project.own_checks import folder_of
from trainc.systems.registry import plugin_packages


class UnusablePackage(ValueError):
    """Package in TRAINC_CHECKS that has no rules, or cannot be imported. `show` makes it a usage error."""

    def show(self, file: IO[str]) -> None:
        """Print the error."""
        print(f"Error: Invalid value for TRAINC_CHECKS: {self}", file=file)


def rules_named(packages: str) -> Iterator[Rules]:
    """Yield the rules of packages in a list with commas. Raises UnusablePackage."""
    for package in filter(None, map(str.strip, packages.split(","))):
        try:
            yield rules_of(package)
        except Exception as problem:
            raise UnusablePackage(_reason(package, problem)) from problem


def _reason(package: str, problem: Exception) -> str:
    """Return why a package has no rules."""
    reason = f"fails: {type(problem).__name__}: {problem}"
    if isinstance(problem, ModuleNotFoundError) and f"{package}.".startswith(f"{problem.name}."):
        reason = "is not installed"
    elif isinstance(problem, InvalidRule):
        return str(problem)
    elif isinstance(problem, AttributeError) and problem.name == "__path__":
        reason = "is no package of rules, which are modules with TRIGGERS"
    return f"`{folder_of(package) or package}` {reason}"


class InvalidRule(ValueError):
    """Module that is no rule."""


@cache
def rules_of(package: str) -> Rules:
    """Return the rules of a package by their triggers. Raises ModuleNotFoundError if it can't be imported."""
    rules: Rules = {}
    folder = import_module(package)
    for module in iter_modules(folder.__path__):
        if not module.name.startswith("_"):
            for trigger in _triggers(package, module.name):
                rules[trigger] = (*rules.get(trigger, ()), f"{package}.{module.name}")
    for shared in getattr(folder, "SHARED_RULES", ()):
        for trigger, modules in load()[shared].items():
            rules[trigger] = (*rules.get(trigger, ()), *modules)
    return rules


def _triggers(package: str, name: str) -> tuple[str, ...]:
    """Return the triggers of a module. Raises InvalidRule, with the file and the reason."""
    folder = folder_of(package)
    shown = f"`{os.path.join(folder, name)}.py`" if folder else f"`{package}.{name}`"
    try:
        module = import_module(f"{package}.{name}")
    except Exception as problem:
        line = f" in line {problem.lineno}" if isinstance(problem, SyntaxError) and problem.lineno else ""
        text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
        raise InvalidRule(f"{shown} fails{line}: {type(problem).__name__}: {text}") from problem
    known = getattr(module, "TRIGGERS", None)
    if known is None or not callable(getattr(module, "check", None)):
        lacks = "`TRIGGERS`" if known is None else "a function `check`"
        raise InvalidRule(f"{shown} lacks {lacks}: a check has both, and the name of a helper begins with `_`")
    if not isinstance(known, tuple | list) or not known or not all(isinstance(each, str) and each for each in known):
        raise InvalidRule(f'{shown}: `TRIGGERS` must be a tuple of strings, such as `("always()",)`')
    for each in known:
        if each.endswith(")") and not (each.endswith("()") and callable(getattr(triggers, each[:-2], None))):
            raise InvalidRule(f"{shown}: `{each}` is not a trigger of trainc")
    return tuple(known)


def plugin_codes(packages: str) -> dict[Code, str]:
    """Return the codes of plug-ins, and of packages in a list with commas, and what their rules say of themselves.

    Raises UnusablePackage.
    """
    plugins = [*plugin_packages(), *launchers().values()]
    rules = [*rules_named(packages), *map(rules_inside, plugins)]
    names = [name for each in rules for modules in each.values() for name in modules]
    modules = [import_module(name) for name in dict.fromkeys(names)]
    return {
        code: module.__doc__ or ""
        for module in modules
        for code in vars(module).values()
        if isinstance(code, Code) and not code.has_page
    }


def rules_inside(package: str) -> Rules:
    """Return the rules of a system's or launcher's package; it needn't have any."""
    return rules_of(f"{package}.rules") if find_spec(f"{package}.rules") else {}
