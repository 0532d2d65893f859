"""Helps that name other back ends, without those that reject the job for another reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.message import BackEnds, Phrase

Errors = frozenset[tuple[str, tuple[object, ...]]]  # codes and places


def with_possible_backends(diagnostics: list[Diagnostic], errors_on: Callable[[str], Errors]) -> list[Diagnostic]:
    """Return the diagnostics; `errors_on` returns the errors of the job on a back end.

    A back end is possible if it has no errors but those that the job has anyway.
    """
    here = error_keys(diagnostics)

    @cache
    def is_possible(name: str) -> bool:
        return errors_on(name) <= here

    return [each.replace(advice=tuple(_possible(each.advice, is_possible))) for each in diagnostics]


def error_keys(diagnostics: list[Diagnostic]) -> Errors:
    """Return what identifies the errors among diagnostics."""
    return frozenset((each.code.id, each.span.place) for each in diagnostics if each.severity == "error")


def _possible(advice: tuple[Phrase, ...], is_possible: Callable[[str], bool]) -> Iterator[Phrase]:
    """Yield the alternatives with the possible ones of their back ends, without those that have only others."""
    for each in advice:
        if isinstance(each, str) or not each.backends:
            yield each
        elif backends := BackEnds(filter(is_possible, each.backends)):
            yield each.with_value(backends)
