"""Where something stands in a user's text, and strings that remember it."""

from __future__ import annotations

import re
from typing import NamedTuple

# The line breaks of YAML 1.1, by which the parser counts lines.
BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class Source:
    """One input: a file, standard input or a command line option."""

    __slots__ = ("_lines", "name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._lines: list[str] | None = None

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its break; empty past the end."""
        if self._lines is None:
            self._lines = BREAK.split(self.text)
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""


class Span(NamedTuple):
    """A stretch of text. Lines and columns count from 1, columns in code points; the end is exclusive."""

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


class Text(str):
    """A string of the user's that knows where it was written. Compares and prints as the string it is."""

    __slots__ = ("span",)
    span: Span

    def __new__(cls, value: str, span: Span) -> Text:
        text = super().__new__(cls, value)
        text.span = span
        return text


def span_of(value: object) -> Span | None:
    """Where a value was written, if it is the user's and remembers."""
    return getattr(value, "span", None)
