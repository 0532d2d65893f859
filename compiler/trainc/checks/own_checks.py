"""Files of checks of a project: their triggers, and what is wrong with them, for people who write their first check."""

from __future__ import annotations

import os
from importlib import import_module

from trainc.checks import triggers
from trainc.project.own_checks import folder_of
from trainc.schema.fields import UnknownField, field


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
        return callable(getattr(triggers, text[:-2], None))
    try:
        field(text if text.startswith("metadata.") else f"spec.{text}")
    except UnknownField:
        return False
    return True
