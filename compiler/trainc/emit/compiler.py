"""Compile templates to Python with Jinja's compiler: in a wheel's build, and in a checkout after a change.

Importing Jinja takes a quarter of a cold start, so compiled templates use `emit/runtime.py` instead of Jinja:
docs/adr/0005-compiled-templates.md has the figures, and a test renders every example with both.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import jinja2

from trainc.emit.block import block
from trainc.emit.scalar import scalar

HEADER = "from jinja2.runtime import "
RUNTIME = "from trainc.emit.runtime import environment, finalize, "
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
    """Write a module for every template. jinja2.TemplateError for one that is wrong."""
    environment = jinja_environment(templates)
    os.makedirs(target, exist_ok=True)
    for name in environment.list_templates(extensions=["j2"]):
        with open(os.path.join(templates, name), encoding="utf-8") as file:
            source = file.read()
        code = _on_our_runtime(environment.compile(source, name, raw=True), name)
        path = os.path.join(target, module_name(name) + ".py")
        handle, temporary = tempfile.mkstemp(dir=target)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(code)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)


def compile_plugin_template(package: str, name: str) -> Callable[..., Iterator[str]]:
    """Return the render function of `<system>/<file>`, which is `templates/<file>` of the system's package."""
    path = os.path.join(os.path.dirname(str(import_module(package).__file__)), "templates", name.partition("/")[2])
    with open(path, encoding="utf-8") as file:
        source = jinja_environment(os.path.dirname(path)).compile(file.read(), name, raw=True)
    namespace: dict[str, Any] = {}
    # S102: the template is part of an installed package.
    exec(compile(_on_our_runtime(source, name), path, "exec"), namespace)  # noqa: S102  # of our own templates
    root: Callable[..., Iterator[str]] = namespace["root"]
    return root


def _on_our_runtime(code: str, name: str) -> str:
    first, _, rest = code.partition("\n")
    if not first.startswith(HEADER):
        raise jinja2.TemplateError(f"{name}: this version of Jinja compiles in another way")
    used = {word for word in first.removeprefix(HEADER).split(", ") if re.search(rf"\b{word}\b", rest)}
    if used - SUPPLIED:
        # Macros, loop variables and the like: the runtime has no use for them so far.
        raise jinja2.TemplateError(f"{name}: emit/runtime.py has no {', '.join(sorted(used - SUPPLIED))}")
    rest = rest.replace("str(environment.finalize(", "(finalize(")  # `finalize` returns a string
    return RUNTIME + ", ".join(sorted(used)) + "\n" + rest + "\n"
