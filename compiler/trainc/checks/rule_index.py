"""Index of the rules: the modules that each trigger selects, by folder.

A wheel contains the index as `trainc/compiled_rules.py`. A checkout rebuilds it when a rule is newer. The triggers are
read from the text of the rules, so that no rule is imported before it is selected.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from trainc.resources import in_checkout

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMPILED = "compiled_rules"
Rules = dict[str, tuple[str, ...]]  # import paths by trigger
Index = dict[str, Rules]  # by the import path of a folder


@cache
def load() -> Index:
    """Return the compiled index; rebuild it first if a rule of the checkout is newer, added or removed."""
    if in_checkout() and _is_stale():
        from trainc.checks.rule_index_builder import rebuild

        return rebuild(PACKAGE, rule_folders(PACKAGE), sorted(rule_files(PACKAGE)), f"{COMPILED}.py")
    compiled: Index = import_module(f"trainc.{COMPILED}").RULES
    return compiled


def _is_stale() -> bool:
    """Compare modification times and the list of files; those of directories change with __pycache__."""
    try:
        built = os.stat(os.path.join(PACKAGE, f"{COMPILED}.py")).st_mtime
    except FileNotFoundError:
        return True
    files = rule_files(PACKAGE)
    builder = os.stat(os.path.join(PACKAGE, "checks", "rule_index_builder.py"))
    is_newer = max(builder.st_mtime, *files.values()) > built
    return is_newer or bool(sorted(files) != import_module(f"trainc.{COMPILED}").FILES)


def rule_files(package: str) -> dict[str, float]:
    """Return the modification times of all files in the folders of rules, by their paths relative to the package."""
    return {
        entry.path[len(package) + 1 :]: entry.stat().st_mtime
        for folder in rule_folders(package)
        for entry in os.scandir(folder)
        if entry.name.endswith(".py")
    }


def rule_folders(package: str) -> list[str]:
    """Return the paths of all folders of rules."""
    checks = os.scandir(os.path.join(package, "checks"))
    folders = [entry.path for entry in checks if entry.is_dir() and entry.name not in ("shared", "__pycache__")]
    for owners in ("launchers", "systems", os.path.join("systems", "shared")):
        rules = [os.path.join(owner.path, "rules") for owner in os.scandir(os.path.join(package, owners))]
        folders += [path for path in rules if os.path.isdir(path)]
    return folders
