"""Compile templates to Python with Jinja's compiler: in a wheel's build, and in a checkout after a change.

Importing Jinja takes a quarter of a cold start, so compiled templates use `emit/runtime.py` instead of Jinja:
docs/adr/0005-compiled-templates.md has the figures, and a test renders every example with both.
"""

from __future__ import annotations

import itertools
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import jinja2
from jinja2 import nodes

from trainc.emit.block import block
from trainc.emit.runtime import MARK, MARKED
from trainc.emit.scalar import scalar

HEADER = "from jinja2.runtime import "
RUNTIME = "from trainc.emit.runtime import "
SUPPLIED = frozenset(("TemplateRuntimeError", "Undefined", "internalcode", "missing"))


def jinja_environment(templates: str) -> jinja2.Environment:
    """Return Jinja's environment of the templates: every printed value goes through `scalar`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        undefined=jinja2.StrictUndefined,
        finalize=scalar,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  # the output is YAML, which `scalar` quotes
    )
    environment.filters["block"] = block
    return environment


def module_name(template: str) -> str:
    """Return the Python module of a template: shared_claim for `shared/claim.yaml.j2`."""
    return re.sub(r"\W", "_", template.removesuffix(".yaml.j2"))


def compile_templates(templates: str, target: str) -> None:
    """Write a module for every template, and one for its marked form. jinja2.TemplateError for one that is wrong."""
    environment = jinja_environment(templates)
    os.makedirs(target, exist_ok=True)
    for name in environment.list_templates(extensions=["j2"]):
        with open(os.path.join(templates, name), encoding="utf-8") as file:
            source = file.read()
        for prefix in ("", MARKED):
            handle, temporary = tempfile.mkstemp(dir=target)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(_code(environment, source, name, is_marked=bool(prefix)))
            os.chmod(temporary, 0o644)
            os.replace(temporary, os.path.join(target, f"{prefix}{module_name(name)}.py"))


def compile_plugin_template(package: str, name: str, is_marked: bool) -> Callable[..., Iterator[str]]:
    """Return the render function of `<system>/<file>`, which is `templates/<file>` of the system's package."""
    path = os.path.join(os.path.dirname(str(import_module(package).__file__)), "templates", name.partition("/")[2])
    with open(path, encoding="utf-8") as file:
        code = _code(jinja_environment(os.path.dirname(path)), file.read(), name, is_marked)
    namespace: dict[str, Any] = {}
    # S102: the template is part of an installed package.
    exec(compile(code, path, "exec"), namespace)  # noqa: S102  # of our own templates
    root: Callable[..., Iterator[str]] = namespace["root"]
    return root


def _code(environment: jinja2.Environment, source: str, name: str, is_marked: bool) -> str:
    tree = _marked(environment, source, name) if is_marked else environment.parse(source, name)
    return _on_our_runtime(environment.compile(tree, name, raw=True), name, is_marked)


def _marked(environment: jinja2.Environment, source: str, name: str) -> nodes.Template:
    """Parse a template. A mark ends each line that it writes: the template's line, and the comment above it."""
    tree, reasons = environment.parse(source.removesuffix("\n") + "\n", name), dict(_comments(environment, source))
    for data in tree.find_all(nodes.TemplateData):
        first, *rest = data.data.split("\n")
        marks = (MARK.join(("", name, str(line), reasons.get(line, ""))) for line in itertools.count(data.lineno))
        data.data = first + "".join(f"{mark}\n{text}" for mark, text in zip(marks, rest, strict=False))
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


def _on_our_runtime(code: str, name: str, is_marked: bool) -> str:
    first, _, rest = code.partition("\n")
    if not first.startswith(HEADER):
        raise jinja2.TemplateError(f"{name}: this version of Jinja compiles in another way")
    used = {word for word in first.removeprefix(HEADER).split(", ") if re.search(rf"\b{word}\b", rest)}
    if used - SUPPLIED:
        # Macros, loop variables and the like: the runtime has no use for them so far.
        raise jinja2.TemplateError(f"{name}: emit/runtime.py has no {', '.join(sorted(used - SUPPLIED))}")
    rest = rest.replace("str(environment.finalize(", "(finalize(")  # `finalize` returns a string
    environment = "marked_environment as environment" if is_marked else "environment"
    return f"{RUNTIME}{environment}, {', '.join(('finalize', *sorted(used)))}\n{rest}\n"
