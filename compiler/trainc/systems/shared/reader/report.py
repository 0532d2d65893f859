"""What is said of a translation."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, note, warning
from trainc.source.node import Mapping
from trainc.span import Span

MOST_DIGITS = 9


def whole(text: str) -> int | None:
    """A text of digits as a number; None of any other, and of one that no field can mean."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


class Report:
    """What there is to say of a translation, and how many fields were carried over.

    `beside` are the other objects of the file, `replaced` those of them that the job needs no more.
    """

    def __init__(self, beside: list[Mapping] | None = None) -> None:
        self.beside = beside or []
        self.replaced: list[Mapping] = []
        self.said: list[Diagnostic] = []
        self.carried = 0

    def wrong(self, message: str, span: Span, *, expected: str | None = None, help: str | None = None) -> None:
        """What the other system would refuse too, or what can't be understood."""
        self.said.append(error(codes.IMPORT_INVALID, message, span, expected=expected, help=help))

    def changed(self, message: str, span: Span, help: str | None = None) -> None:
        """Something that means the same, said in another way."""
        self.said.append(note(codes.IMPORT_CHANGED_FIELD, message, span, help=help))

    def slip(self, message: str, span: Span, help: str | None = None) -> None:
        """What the other system would refuse or overlook, where it is clear what was meant."""
        self.said.append(warning(codes.IMPORT_CORRECTED, message, span, help=help))

    def dropped(self, path: str, span: Span, why: str = "", help: str | None = None) -> None:
        """A field that trainc has no word for."""
        reason = f": {why}" if why else ""
        self.said.append(warning(codes.IMPORT_DROPPED_FIELD, f"`{path}` is not carried over{reason}", span, help=help))
