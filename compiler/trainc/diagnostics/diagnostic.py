"""A diagnostic: one thing that is wrong with a job, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from trainc.diagnostics.codes import Code
from trainc.record import Record
from trainc.span import Span

Severity = Literal["error", "warning", "note"]


class Related(Record):
    """A second place that the message speaks of."""

    span: Span
    message: str


class Diagnostic(Record):
    """One finding. The message states the problem, lower case, without a full stop; only `help` says the cure."""

    code: Code
    message: str
    span: Span
    severity: Severity
    expected: str | None = None
    help: str | None = None
    related: tuple[Related, ...] = ()


class Rejected(Exception):
    """The input can't be compiled; `diagnostics` say why."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


def error(
    code: Code,
    message: str,
    span: Span,
    *,
    expected: str | None = None,
    help: str | None = None,
    related: Iterable[Related] = (),
) -> Diagnostic:
    """Something that can't work: nothing is written."""
    return Diagnostic(
        code=code,
        message=message,
        span=span,
        severity="error",
        expected=expected,
        help=help,
        related=tuple(related),
    )


def warning(
    code: Code,
    message: str,
    span: Span,
    *,
    help: str | None = None,
    related: Iterable[Related] = (),
) -> Diagnostic:
    """Something that works and probably hurts: the manifests are written all the same."""
    return Diagnostic(code=code, message=message, span=span, severity="warning", help=help, related=tuple(related))


def note(
    code: Code,
    message: str,
    span: Span,
    *,
    help: str | None = None,
    related: Iterable[Related] = (),
) -> Diagnostic:
    """Something that may well be meant and is worth knowing."""
    return Diagnostic(code=code, message=message, span=span, severity="note", help=help, related=tuple(related))


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By place, then code; a finding that was made twice is kept once."""
    unique = {(d.code.id, d.message, d.span.place): d for d in diagnostics}
    return sorted(unique.values(), key=lambda d: (d.span.place, d.code.id, d.message))
