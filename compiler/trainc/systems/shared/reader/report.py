"""Diagnostics of one translation."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, note, warning
from trainc.source.node import Mapping
from trainc.span import Span

MAX_DIGITS = 9


def parse_count(text: str) -> int | None:
    """Parse a non-negative decimal number; return None for any other text and for more digits than a field can hold."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else None


class TranslationReport:
    """Diagnostics of one translation.

    `other_objects` are the objects of the input that are not jobs; the reader adds those that the job makes obsolete
    to `replaced_objects`.
    """

    def __init__(self, other_objects: list[Mapping] | None = None) -> None:
        self.other_objects = other_objects or []
        self.replaced_objects: list[Mapping] = []
        self.diagnostics: list[Diagnostic] = []

    @property
    def failed(self) -> bool:
        """Return whether an error was added."""
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    def add_error(self, message: str, span: Span, *, expected: str | None = None, help: str | None = None) -> None:
        """Add an error: the other system rejects the value too, or trainc cannot interpret it."""
        self.diagnostics.append(error(codes.IMPORT_INVALID, message, span, expected=expected, help=help))

    def add_change(self, message: str, span: Span, help: str | None = None) -> None:
        """Add a note: the job has the same meaning, expressed differently."""
        self.diagnostics.append(note(codes.IMPORT_CHANGED_FIELD, message, span, help=help))

    def add_correction(self, message: str, span: Span, help: str | None = None) -> None:
        """Add a warning: the other system rejects or ignores the value, but the intent is clear."""
        self.diagnostics.append(warning(codes.IMPORT_CORRECTED, message, span, help=help))

    def add_dropped(self, path: str, span: Span, why: str = "", help: str | None = None) -> None:
        """Add a warning: trainc has no equivalent of the field."""
        reason = f": {why}" if why else ""
        message = f"`{path}` is not carried over{reason}"
        self.diagnostics.append(warning(codes.IMPORT_DROPPED_FIELD, message, span, help=help))
