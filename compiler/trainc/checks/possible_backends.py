"""Helps that name other back ends, without those that reject the job for another reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from trainc.diagnostics.advice import Advice, text_of
from trainc.diagnostics.diagnostic import Diagnostic

Errors = frozenset[tuple[str, tuple[object, ...]]]  # codes and places


def with_possible_backends(diagnostics: list[Diagnostic], errors_on: Callable[[str], Errors]) -> list[Diagnostic]:
    """Return the diagnostics; `errors_on` returns the errors of the job on a back end.

    A back end is possible if it has no errors but those that the job has anyway.
    """
    here = error_keys(diagnostics)

    @cache
    def is_possible(name: str) -> bool:
        return errors_on(name) <= here

    def possible(diagnostic: Diagnostic) -> Diagnostic:
        kept = tuple(_with_backends(each, is_possible) for each in diagnostic.advice)
        advice = tuple(each for each in kept if each is not None)
        return diagnostic if advice == diagnostic.advice else diagnostic.replace(advice=advice, help=text_of(advice))

    return list(map(possible, diagnostics))


def error_keys(diagnostics: list[Diagnostic]) -> Errors:
    """Return what identifies the errors among diagnostics."""
    return frozenset((each.code.id, each.span.place) for each in diagnostics if each.severity == "error")


def _with_backends(advice: Advice, is_possible: Callable[[str], bool]) -> Advice | None:
    """Return an alternative with the possible ones of its back ends, or None if it has only others."""
    if not advice.backends:
        return advice
    kept = tuple(filter(is_possible, advice.backends))
    return advice.replace(backends=kept) if kept else None
