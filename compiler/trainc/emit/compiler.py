"""Compile templates to Python with Jinja's compiler: in a wheel's build, and in a checkout after a change.

Importing Jinja takes a quarter of a cold start, so compiled templates use `emit/runtime.py` instead of Jinja:
docs/adr/0005-compiled-templates.md has the figures, and a test renders every example with both.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import jinja2
from jinja2 import nodes

from trainc.emit.runtime import MARK
from trainc.emit.scalar import scalar
from trainc.resources import folder

HEADER = "from jinja2.runtime import "
RUNTIME = "from trainc.emit.runtime import "
SUPPLIED = frozenset(("TemplateRuntimeError", "Undefined", "internalcode", "missing"))
# Part of a template in another file, at an indentation. It becomes a part of the compiled template.
_PART = re.compile(r'\{% filter indent\((\d+), true\) %\}\{% include "([^"]+)" %\}\{% endfilter %\}')
Source = Callable[[str], str]  # of the template with a name
Line = tuple[str, str, int]  # its text, and the file and the number of the line


def jinja_environment(templates: str) -> jinja2.Environment:
    """Return Jinja's environment of the templates, in which they render YAML with mappings and lists in flow style."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        undefined=jinja2.StrictUndefined,
        finalize=_flow,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  # the output is YAML
    )


def _flow(value: object) -> str:
    return json.dumps(value) if isinstance(value, dict | list | tuple) else scalar(value)


def module_name(template: str) -> str:
    """Return the Python module of a template: shared_claim for `shared/claim.yaml.j2`."""
    return re.sub(r"\W", "_", template.removesuffix(".yaml.j2"))


def compile_templates(templates: str, target: str) -> None:
    """Write a module for every template that is no part of another one. Raises jinja2.TemplateError for a wrong one."""
    environment = jinja_environment(templates)
    names = environment.list_templates(extensions=["j2"])
    parts = {part for name in names for _, part in _PART.findall(_read(templates, name))}
    os.makedirs(target, exist_ok=True)
    for name in (name for name in names if name not in parts):
        handle, temporary = tempfile.mkstemp(dir=target)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_code(environment, name, lambda each: _read(templates, each)))
        os.chmod(temporary, 0o644)
        os.replace(temporary, os.path.join(target, f"{module_name(name)}.py"))


def compile_plugin_template(package: str, name: str) -> Callable[..., Iterator[Any]]:
    """Return the render function of `<system>/<file>`, which is `templates/<file>` of the system's package."""
    own = os.path.join(os.path.dirname(str(import_module(package).__file__)), "templates")
    system, _, _ = name.partition("/")

    def source(each: str) -> str:
        is_own = each.startswith(f"{system}/")
        return _read(own, each.partition("/")[2]) if is_own else _read(folder("templates"), each)

    namespace: dict[str, Any] = {}
    # S102: the template is part of an installed package.
    exec(compile(_code(jinja_environment(own), name, source), name, "exec"), namespace)  # noqa: S102
    root: Callable[..., Iterator[Any]] = namespace["root"]
    return root


def _read(templates: str, name: str) -> str:
    with open(os.path.join(templates, *name.split("/")), encoding="utf-8") as file:
        return file.read()


def _code(environment: jinja2.Environment, name: str, source: Source) -> str:
    lines = list(_lines(name, source))
    return _on_our_runtime(environment.compile(_marked(environment, lines, name), name, raw=True), name)


def _lines(name: str, source: Source) -> Iterator[Line]:
    """Yield the lines of a template and of its parts."""
    for number, line in enumerate(source(name).removesuffix("\n").split("\n"), 1):
        part = _PART.fullmatch(line)
        if part is None:
            yield line, name, number
        else:
            for inner in _lines(part[2], source):
                yield " " * int(part[1]) + inner[0], *inner[1:]


def _marked(environment: jinja2.Environment, lines: list[Line], name: str) -> nodes.Template:
    """Parse a template. A mark ends each line that it writes: the template's line, and the comment above it."""
    text = "".join(f"{line}\n" for line, _, _ in lines)
    tree, reasons = environment.parse(text, name), dict(_comments(environment, text))
    for literal in tree.find_all(nodes.TemplateData):
        first, *rest = literal.data.split("\n")
        numbers = itertools.count(literal.lineno)
        marks = (MARK.join(("", *map(str, lines[number - 1][1:]), reasons.get(number, ""))) for number in numbers)
        literal.data = first + "".join(f"{mark}\n{line}" for line, mark in zip(rest, marks, strict=False))
    return tree


def _comments(environment: jinja2.Environment, source: str) -> Iterator[tuple[int, str]]:
    """Yield comments with the number of the first line below that writes something."""
    comment = ""
    for number, kind, value in environment.lex(source):
        if kind == "comment":
            comment = " ".join(value.split())
        elif comment and kind in ("data", "variable_begin") and value.strip():
            yield number + value.count("\n", 0, len(value) - len(value.lstrip())), comment
            comment = ""


def _on_our_runtime(code: str, name: str) -> str:
    first, _, rest = code.partition("\n")
    if not first.startswith(HEADER):
        raise jinja2.TemplateError(f"{name}: this version of Jinja compiles in another way")
    used = {word for word in first.removeprefix(HEADER).split(", ") if re.search(rf"\b{word}\b", rest)}
    if used - SUPPLIED or "environment.get_template(" in rest:
        # Macros, loop variables, includes of another form and the like: the runtime has no use for them so far.
        features = ", ".join(sorted(used - SUPPLIED)) or "include"
        raise jinja2.TemplateError(f"{name}: emit/runtime.py has no {features}")
    # A value stays a value; its text, which Jinja makes here, comes at the end.
    rest = rest.replace("str(environment.finalize(", "(finalize(")
    return f"{RUNTIME}environment, {', '.join(('finalize', *sorted(used)))}\n{rest}\n"
