"""Fix of a diagnostic: edits of the source's text."""

from __future__ import annotations

from trainc.record import Record
from trainc.secrets.text import redact
from trainc.span import Span


class Edit(Record):
    """Text in place of a span, which is empty for an insertion."""

    span: Span
    text: str


class Fix(Record):
    """Edits of one source, which don't overlap. A fix that isn't safe is a guess at what was intended."""

    edits: tuple[Edit, ...]
    is_safe: bool

    @property
    def is_public(self) -> bool:
        """Return whether the texts contain no secret, so that they may be printed."""
        return all(redact(edit.text) == edit.text for edit in self.edits)
