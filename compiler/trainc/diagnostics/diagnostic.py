"""Diagnostics: problem, position and remedy."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial

from trainc.diagnostics.codes import Code
from trainc.diagnostics.message import Help, Phrase, alternatives
from trainc.record import Record
from trainc.span import Span
from trainc.typenames import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trainc.diagnostics.remedy import Fix, Remedy

Severity = Literal["error", "warning", "note"]
# Further positions and their messages. A position that isn't known is omitted.
Places = Iterable[tuple[Span | None, Phrase]]


class Related(Record):
    """Further position with its own message, whose words are `text`."""

    span: Span
    text: Phrase

    @property
    def message(self) -> str:
        """Message as it is printed."""
        return str(self.text)


class Variant(Record):
    """Job of a document with `matrix`.

    `count` is the number of jobs of the document; `matrix` and `limit` are the positions of the fields `matrix` and
    `maxParallel`.
    """

    name: str
    count: int
    matrix: Span
    limit: Span | None = None
    is_suspended: bool = False


class Diagnostic(Record):
    """Problem of a job: a lower-case message without a full stop; only the help states the remedy.

    `text` are the words of the message, `advice` the alternatives of the help. `field` is the path of a field whose
    page answers more than that of the code. `fix` are the edits of the file that `remedy`, the help of a rule, needs.
    `variant` is the job of a matrix that has the problem. `cluster` is the cluster for which the file was compiled if
    there are several.
    """

    code: Code
    text: Phrase
    span: Span
    severity: Severity
    expected: str | None = None
    advice: tuple[Phrase, ...] = ()
    field: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    remedy: Remedy | None = None
    variant: Variant | None = None
    cluster: str | None = None

    @cached_property
    def message(self) -> str:
        """Message as it is printed."""
        return str(self.text)

    @cached_property
    def help(self) -> str | None:
        """Help as it is printed: a sentence of all alternatives."""
        *others, last = map(str, self.advice or ("",))
        return f"{', '.join(others)}, or {last}" if others else last or None


class Rejected(Exception):
    """Input that can't be compiled; `diagnostics` has the reasons."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


def _diagnostic(
    severity: Severity,
    code: Code,
    message: Phrase,
    span: Span,
    *,
    expected: str | None = None,
    help: Help | None = None,
    related: Places = (),
    remedy: Remedy | None = None,
) -> Diagnostic:
    return Diagnostic(
        code=code,
        text=message,
        span=span,
        severity=severity,
        expected=expected,
        advice=alternatives(help),
        related=tuple(Related(span=place, text=text) for place, text in related if place is not None),
        remedy=remedy,
    )


error = partial(_diagnostic, "error")  # the job can't work, and nothing is written
warning = partial(_diagnostic, "warning")  # the job works, but probably not as intended; manifests are written
note = partial(_diagnostic, "note")  # probably intended, and worth knowing


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics by position, then code, without duplicates."""
    unique = {(d.code.id, d.message, d.span.place): d for d in diagnostics}
    return sorted(unique.values(), key=lambda d: (d.span.place, d.code.id, d.message))
