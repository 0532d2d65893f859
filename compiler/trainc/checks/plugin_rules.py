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
from trainc.schema.fields import UnknownField, field
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
    elif isinstance(problem, InvalidCheck):
        return str(problem)
    elif isinstance(problem, AttributeError) and problem.name in ("__path__", "TRIGGERS"):
        reason = "is no package of rules, which are modules with TRIGGERS"
    return f"`{folder_of(package) or package}` {reason}"


@cache
def rules_of(package: str) -> Rules:
    """Return the rules of a package by their triggers. Raises ModuleNotFoundError if it can't be imported."""
    rules: Rules = {}
    folder = import_module(package)
    for module in iter_modules(folder.__path__):
        if not module.name.startswith("_"):
            name = f"{package}.{module.name}"
            for trigger in own_triggers(name) if folder_of(package) else import_module(name).TRIGGERS:
                rules[trigger] = (*rules.get(trigger, ()), name)
    for shared in getattr(folder, "SHARED_RULES", ()):
        for trigger, modules in load()[shared].items():
            rules[trigger] = (*rules.get(trigger, ()), *modules)
    return rules


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
    """Return the rules in the package of a plug-in's system or launcher; none if it has no rules."""
    return rules_of(f"{package}.rules") if find_spec(f"{package}.rules") else {}


class InvalidCheck(ValueError):
    """File that is no check; the message names the file and the reason."""


def own_triggers(module: str) -> tuple[str, ...]:
    """Return the triggers of a module of a project's checks. Raises InvalidCheck."""
    package, _, name = module.rpartition(".")
    shown = f"`{os.path.join(folder_of(package), name)}.py`"
    try:
        content = import_module(module)
    except Exception as problem:
        line = f" in line {problem.lineno}" if isinstance(problem, SyntaxError) and problem.lineno else ""
        text = problem.msg if isinstance(problem, SyntaxError) else str(problem)
        raise InvalidCheck(f"{shown} fails{line}: {type(problem).__name__}: {text}") from problem
    known = getattr(content, "TRIGGERS", None)
    if known is None or not callable(getattr(content, "check", None)):
        lacks = "`TRIGGERS`" if known is None else "a function `check`"
        raise InvalidCheck(f"{shown} lacks {lacks}, which a check has; the name of a helper begins with `_`")
    if not isinstance(known, tuple | list) or not known or not all(isinstance(each, str) for each in known):
        raise InvalidCheck(f'{shown}: `TRIGGERS` must be a tuple of strings, such as `("always()",)`')
    for each in known:
        if not _is_trigger(each):
            raise InvalidCheck(f"{shown}: the trigger `{each}` is neither a field of a job file nor `always()`")
    return tuple(known)


def _is_trigger(text: str) -> bool:
    """Return whether a text is a predicate of `triggers`, or the path of a field, which may lack `spec.`."""
    if text.endswith("()"):
        return triggers.is_predicate(text[:-2])
    try:
        field(text if text.startswith("metadata.") else f"spec.{text}")
    except UnknownField:
        return False
    return True
