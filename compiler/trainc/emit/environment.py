"""The Jinja environment: every value that a template prints goes through `scalar`.

A wheel carries the templates compiled to Python (hatch_build.py), because Jinja takes 20 ms to compile them.
A checkout compiles them when they are first used and keeps the bytecode beside them, as Python does.
"""

from __future__ import annotations

import os
from typing import Any

import jinja2

from trainc.emit.block import block
from trainc.emit.scalar import scalar
from trainc.resources import folder

COMPILED = "compiled_templates"


def environment(loader: jinja2.BaseLoader | None = None, cache: jinja2.BytecodeCache | None = None) -> Any:
    """An environment over the given loader, with all that templates may use."""
    made = jinja2.Environment(
        loader=loader,
        bytecode_cache=cache,
        undefined=jinja2.StrictUndefined,
        finalize=scalar,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        autoescape=False,  # HTML is not what is written here; `scalar` does the quoting
        extensions=(),
    )
    made.filters["block"] = block
    return made


def installed_environment() -> Any:
    """The environment over the templates that came with the package."""
    compiled = os.path.join(os.path.dirname(os.path.dirname(__file__)), COMPILED)
    if os.path.isdir(compiled):
        return environment(jinja2.ModuleLoader(compiled))
    templates = folder("templates")
    return environment(jinja2.FileSystemLoader(templates), _cache(os.path.join(templates, "__pycache__")))


def _cache(directory: str) -> jinja2.BytecodeCache | None:
    """Bytecode beside the templates where that may be written; else every run compiles them."""
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError:
        return None
    return jinja2.FileSystemBytecodeCache(directory) if os.access(directory, os.W_OK) else None
