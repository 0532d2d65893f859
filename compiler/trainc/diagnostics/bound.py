"""Limit on the number of printed diagnostics."""

from __future__ import annotations

from collections import Counter

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Severity, note

LIMIT = 200  # for people: more scroll past unread
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def bounded(diagnostics: list[Diagnostic], limit: int = LIMIT) -> list[Diagnostic]:
    """Return the first diagnostics, errors before warnings and notes, and a note that counts the rest."""
    if len(diagnostics) <= limit:
        return diagnostics
    by_severity = sorted(range(len(diagnostics)), key=lambda index: _SEVERITIES.index(diagnostics[index].severity))
    omitted = [diagnostics[index] for index in by_severity[limit:]]
    counts = Counter(diagnostic.severity for diagnostic in omitted)
    parts = [count_of(counts[severity], f"more {severity}") for severity in _SEVERITIES if counts[severity]]
    message = f"not printed: {', '.join(parts)} (the limit is {limit:,})"
    rest = note(codes.TOO_MANY_DIAGNOSTICS, message, omitted[0].span, help="fix the others first")
    return [*(diagnostics[index] for index in sorted(by_severity[:limit])), rest]


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
