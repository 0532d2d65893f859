"""Helps that name other back ends, without those that reject the job for another reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from trainc.diagnostics.diagnostic import Diagnostic

Errors = frozenset[tuple[str, tuple[object, ...]]]  # codes and places

# "`--backend job` or `--backend pods`", "one of the back ends job, pods", "the back end job"
_OPTION = r"`--backend (\w+)`"
_BACKENDS = re.compile(rf"{_OPTION}(?: or {_OPTION})*|(?:one of )?the back ends? \w+(?:, \w+)*")
_LIST = re.compile(r"back ends? (.*)")
_ALTERNATIVE = ", or "


def with_possible_backends(diagnostics: list[Diagnostic], errors_on: Callable[[str], Errors]) -> list[Diagnostic]:
    """Return the diagnostics; `errors_on` returns the errors of the job on a back end.

    A back end is possible if it has no errors but those that the job has anyway.
    """
    here = error_keys(diagnostics)

    @cache
    def is_possible(name: str) -> bool:
        return errors_on(name) <= here

    def possible(diagnostic: Diagnostic) -> Diagnostic:
        if diagnostic.help is None or _BACKENDS.search(diagnostic.help) is None:
            return diagnostic
        alternatives = (_alternative(each, is_possible) for each in diagnostic.help.split(_ALTERNATIVE))
        return diagnostic.replace(help=_ALTERNATIVE.join(filter(None, alternatives)) or None)

    return list(map(possible, diagnostics))


def error_keys(diagnostics: list[Diagnostic]) -> Errors:
    """Return what identifies the errors among diagnostics."""
    return frozenset((each.code.id, each.span.place) for each in diagnostics if each.severity == "error")


def _alternative(text: str, is_possible: Callable[[str], bool]) -> str | None:
    """Return an alternative of a help with the possible back ends, or None if it names only others."""
    match = _BACKENDS.search(text)
    if match is None:
        return text
    listed = _LIST.search(match[0])
    names = listed[1].split(", ") if listed else re.findall(_OPTION, match[0])
    kept = [name for name in names if is_possible(name)]
    if kept == names:
        return text
    if not kept:
        return None
    options = " or ".join(f"`--backend {name}`" for name in kept)
    shown = f"one of the back ends {', '.join(kept)}" if listed and len(kept) > 1 else options
    return text[: match.start()] + shown + text[match.end() :]
