"""Diagnostics: problem, position and remedy."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.diagnostics.advice import Advice, Help, alternatives, text_of
from trainc.diagnostics.codes import Code
from trainc.record import Record
from trainc.span import Span
from trainc.typenames import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trainc.diagnostics.fix import Fix
    from trainc.diagnostics.remedy import Remedy

# Command at the end of a help that renders a template; the command line names the command that runs in its place.
CHECK_STDIN = "trainc check -"
Severity = Literal["error", "warning", "note"]
# Further positions and their messages. A position that isn't known is omitted.
Places = Iterable[tuple[Span | None, str]]


class Related(Record):
    """Further position with its own message."""

    span: Span
    message: str


class Diagnostic(Record):
    """Problem of a job: a lower-case message without a full stop; only `help` states the remedy.

    `field` is the path of a field whose page answers more than that of the code. `fix` are the edits of the file that
    `remedy`, the help of a rule, needs. `advice` are the alternatives of the help as data. `reads_stdin`: CHECK_STDIN
    in the help stands for any command.
    """

    code: Code
    message: str
    span: Span
    severity: Severity
    expected: str | None = None
    help: str | None = None
    advice: tuple[Advice, ...] = ()
    field: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    remedy: Remedy | None = None
    reads_stdin: bool = False


class Rejected(Exception):
    """Input that can't be compiled; `diagnostics` has the reasons."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


def error(
    code: Code,
    message: str,
    span: Span,
    *,
    expected: str | None = None,
    help: Help | None = None,
    related: Places = (),
    remedy: Remedy | None = None,
) -> Diagnostic:
    """Return an error: the job can't work, and nothing is written."""
    diagnostic = note(code, message, span, help=help, related=related, remedy=remedy)
    return diagnostic.replace(severity="error", expected=expected)


def warning(
    code: Code,
    message: str,
    span: Span,
    *,
    help: Help | None = None,
    related: Places = (),
    remedy: Remedy | None = None,
) -> Diagnostic:
    """Return a warning: the job works, but probably not as intended. Manifests are written."""
    return note(code, message, span, help=help, related=related, remedy=remedy).replace(severity="warning")


def note(
    code: Code,
    message: str,
    span: Span,
    *,
    help: Help | None = None,
    related: Places = (),
    remedy: Remedy | None = None,
) -> Diagnostic:
    """Return a note: probably intended, and worth knowing."""
    others = tuple(Related(span=place, message=text) for place, text in related if place is not None)
    advice = alternatives(help)
    return Diagnostic(
        code=code,
        message=message,
        span=span,
        severity="note",
        help=text_of(advice),
        advice=advice,
        related=others,
        remedy=remedy,
    )


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics by position, then code, without duplicates."""
    unique = {(d.code.id, d.message, d.span.place): d for d in diagnostics}
    return sorted(unique.values(), key=lambda d: (d.span.place, d.code.id, d.message))
