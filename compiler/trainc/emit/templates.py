"""Keep compiled templates of a checkout up to date."""

from __future__ import annotations

import os

from trainc.resources import folder, in_checkout

_COMPILED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "compiled_templates")


def refresh() -> None:
    """Compile the templates if one is newer than its compiled form; a wheel contains them compiled."""
    if not in_checkout():
        return
    compiler = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compiler.py")
    if max(_newest(folder("templates")), os.stat(compiler).st_mtime) > _oldest(_COMPILED):
        from trainc.emit.compiler import compile_templates

        compile_templates(folder("templates"), _COMPILED)


def _newest(directory: str) -> float:
    newest = os.stat(directory).st_mtime  # newer when a template is removed
    for entry in os.scandir(directory):
        newest = max(newest, _newest(entry.path) if entry.is_dir() else entry.stat().st_mtime)
    return newest


def _oldest(directory: str) -> float:
    if not os.path.isdir(directory):
        return 0
    return min((entry.stat().st_mtime for entry in os.scandir(directory) if entry.name.endswith(".py")), default=0)
