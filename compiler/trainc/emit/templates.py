"""Keep compiled templates of a checkout up to date."""

from __future__ import annotations

import os

from trainc.resources import folder, in_checkout

_COMPILED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "compiled_templates")
# Written after all templates are: a process that starts meanwhile compiles them itself.
_STAMP = os.path.join(_COMPILED, "complete")


def refresh() -> None:
    """Compile the templates if one is newer than its compiled form; a wheel contains them compiled."""
    if not in_checkout():
        return
    compiler = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compiler.py")
    newest = max(_newest(folder("templates")), os.stat(compiler).st_mtime)
    if not os.path.exists(_STAMP) or newest > os.stat(_STAMP).st_mtime:
        from trainc.emit.compiler import compile_templates

        compile_templates(folder("templates"), _COMPILED)
        with open(_STAMP, "w", encoding="utf-8"):
            pass


def _newest(directory: str) -> float:
    newest = os.stat(directory).st_mtime  # newer when a template is removed
    for entry in os.scandir(directory):
        newest = max(newest, _newest(entry.path) if entry.is_dir() else entry.stat().st_mtime)
    return newest
