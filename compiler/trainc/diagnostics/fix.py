"""Fix of a diagnostic: edits of the source's text."""

from __future__ import annotations

from trainc.record import Record
from trainc.span import Span


class Edit(Record):
    """Text in place of a span, which is empty for an insertion."""

    span: Span
    text: str


class Fix(Record):
    """Edits of one source, which don't overlap. A fix that isn't safe is a guess at what was intended."""

    edits: tuple[Edit, ...]
    is_safe: bool
