"""Regular expressions of the package: compiled while modules are imported, or in calls of `re` in their source.

`python -m tests.support.patterns` prints them as JSON, in a process that imports every module.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")
UNKNOWN = "x"  # in place of a value that only a call has


class Pattern(NamedTuple):
    """A regular expression and how it is applied: `match`, `fullmatch`, or any other method, which scans the text."""

    place: str
    text: str
    flags: int
    methods: tuple[str, ...]


@cache
def patterns() -> list[Pattern]:
    """Return the regular expressions of all modules and schemas."""
    output = subprocess.run([sys.executable, "-m", __name__], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    return [Pattern(place, text, flags, tuple(methods)) for place, text, flags, methods in json.loads(output)]


# Programs of pods without expressions, which import packages that trainc does not need.
OF_PODS = ("trainc.rehearse.jax_group", "trainc.launchers.ray.probe")


def _record() -> tuple[dict[tuple[str, int], list[tuple[str, int]]], dict[str, ast.Module]]:
    """Import every module; return the expressions that each line compiles, and the modules' source."""
    compiled: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
    compile_: Any = vars(re)["_compile"]

    def record(pattern: Any, flags: Any) -> Any:
        caller = sys._getframe(2)
        if isinstance(pattern, str):
            compiled[caller.f_globals.get("__name__", ""), caller.f_lineno].append((pattern, int(flags)))
        return compile_(pattern, flags)

    vars(re)["_compile"] = record
    package = importlib.import_module("trainc")
    sources = {}
    for module in pkgutil.walk_packages(package.__path__, "trainc."):
        is_program = module.name.endswith("__main__") or module.name in OF_PODS
        loaded = None if is_program else importlib.import_module(module.name)
        if loaded is not None and str(loaded.__file__).endswith(".py"):
            sources[module.name] = ast.parse(Path(str(loaded.__file__)).read_text())
    formats = importlib.import_module("trainc.secrets.formats")
    for _, _, pattern in formats.FORMATS:
        formats.compile_once(pattern)
    for _, _, pattern in formats.TOKEN_FORMATS:
        formats.compile_once(formats.WORD_START + pattern)
    return compiled, sources


def _calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str, str]]:
    """Yield calls of `re` with the function, and the name that a compiled expression is assigned to."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.value] = node.targets[0].id
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in (*METHODS, "compile"):
                yield node, node.func.attr, names.get(node, "")


def _value(node: ast.expr, scope: dict[str, Any]) -> Any:
    """Return the value of an expression, with UNKNOWN for parts of a joined string that only a call has."""
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
        return "".join(str(_value(part, scope)) for part in parts)
    try:
        return eval(compile(ast.Expression(node), "", "eval"), scope)
    except NameError:
        return UNKNOWN


def _flags(call: ast.Call, function: str, scope: dict[str, Any]) -> int:
    position = {"compile": 1, "sub": 4, "subn": 4}.get(function, 2)
    values = [keyword.value for keyword in call.keywords if keyword.arg == "flags"] or call.args[
        position : position + 1
    ]
    value = _value(values[0], scope) if values else 0
    return 0 if value == UNKNOWN else int(value)


def _methods(name: str, module: str, sources: dict[str, ast.Module]) -> tuple[str, ...]:
    """Return the methods that are called on a module's compiled expression; a scan if it is also passed on."""
    methods = set()
    for user, tree in sources.items():
        scope = vars(sys.modules[user])
        if scope.get(name) is not vars(sys.modules[module]).get(name):
            continue
        attributes = {node.value: node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                methods.add(attributes.get(node, "search"))
    return tuple(sorted(methods & {*METHODS})) or ("search",)


def _schema_patterns(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        if isinstance(value.get("patternProperties"), dict):
            yield from value["patternProperties"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _schema_patterns(item)


def _all() -> Iterator[Pattern]:
    compiled, sources = _record()
    for module, tree in sources.items():
        scope = vars(sys.modules[module])
        for call, function, name in _calls(tree):
            lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
            texts = [pattern for line in lines for pattern in compiled.pop((module, line), [])]
            if not texts:
                text = _value(call.args[0], scope)
                texts = [(text, _flags(call, function, scope))] if isinstance(text, str) and text != UNKNOWN else []
            methods = (function,) if function != "compile" else _methods(name, module, sources) if name else ("search",)
            for text, flags in texts:
                yield Pattern(f"{module}:{call.lineno}", text, flags, methods)
    for (module, line), texts in compiled.items():
        for text, flags in texts:
            if module in sources:
                yield Pattern(f"{module}:{line}", text, flags, ("search",))
    for path in sorted((ROOT / "schemas").rglob("*.json")):
        for text in _schema_patterns(json.loads(path.read_text())):
            yield Pattern(path.name, text, 0, ("search",))


if __name__ == "__main__":
    unique = {(pattern.text, pattern.flags, tuple(pattern.methods)): pattern for pattern in _all()}
    json.dump([unique[key] for key in sorted(unique)], sys.stdout)
