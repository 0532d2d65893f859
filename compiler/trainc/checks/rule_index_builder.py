"""Build the index of the rules from their `TRIGGERS`."""

from __future__ import annotations

import ast
import os
import tempfile
from contextlib import suppress

CHECKS = "trainc.checks"
_Index = dict[str, dict[str, tuple[str, ...]]]  # import paths by trigger, by the import path of a folder


def rebuild(package: str, folders: list[str], files: list[str], compiled: str) -> _Index:
    """Return the index of a checkout, and write it unless the checkout is read-only."""
    index = build(package, folders)
    with suppress(OSError):
        write(index, files, os.path.join(package, compiled))
    return index


def build(package: str, folders: list[str]) -> _Index:
    """Return the index of the folders of rules of a source tree. Raises ValueError for a rule without triggers."""
    index: _Index = {}
    for folder in sorted(folders):
        name = ".".join(["trainc", *os.path.relpath(folder, package).split(os.sep)])
        rules = index.setdefault(CHECKS if name.startswith(CHECKS) else name, {})
        for file in sorted(os.listdir(folder)):
            module, extension = os.path.splitext(file)
            if extension == ".py" and module != "__init__":
                for trigger in read_triggers(os.path.join(folder, file)):
                    rules[trigger] = (*rules.get(trigger, ()), f"{name}.{module}")
    for name in index:
        for shared in _literal(os.path.join(package, *name.split(".")[1:], "__init__.py"), "SHARED_RULES"):
            for trigger, modules in index[shared].items():
                index[name][trigger] = index[name].get(trigger, ()) + modules
    return index


def read_triggers(path: str) -> tuple[str, ...]:
    """Return the literal that a rule assigns to `TRIGGERS`."""
    triggers = _literal(path, "TRIGGERS")
    if not triggers:
        raise ValueError(f"{path}: a rule needs TRIGGERS, a tuple of strings")
    return triggers


def write(index: _Index, files: list[str], path: str) -> None:
    """Write the index and the files it was built from as a Python module, atomically."""
    lines = [f"FILES = {files!r}", "RULES = {"]
    for folder, rules in index.items():
        lines += [f"    {folder!r}: {{", *(f"        {trigger!r}: {rules[trigger]!r}," for trigger in rules), "    },"]
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "}", ""]))
    os.chmod(temporary, 0o644)
    os.replace(temporary, path)


def _literal(path: str, name: str) -> tuple[str, ...]:
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                return tuple(ast.literal_eval(value))
    return ()
