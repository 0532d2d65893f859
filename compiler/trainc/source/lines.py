"""Offsets of positions in a text."""

from __future__ import annotations

import re
from bisect import bisect_right

from trainc.span import LINE_BREAKS, Source, Span

_BREAK = re.compile("|".join(LINE_BREAKS))


class Lines:
    """Lines of a source's text: offsets of positions, and positions of offsets."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.starts = [0, *(match.end() for match in _BREAK.finditer(self.text))]
        first = _BREAK.search(self.text)
        self.line_break = first[0] if first else "\n"

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position, counted from 1."""
        return self.starts[line - 1] + column - 1

    def bounds(self, span: Span) -> tuple[int, int]:
        """Return the offsets of a span."""
        return self.offset(span.line, span.column), self.offset(span.end_line, span.end_column)

    def span(self, start: int, end: int) -> Span:
        """Return the span between offsets."""
        (line, column), (end_line, end_column) = self._position(start), self._position(end)
        return Span(self.source, line, column, end_line, end_column)

    def start_of_line(self, offset: int) -> int:
        """Return the offset of the first character of a line."""
        return self.starts[bisect_right(self.starts, offset) - 1]

    def start_of_next_line(self, offset: int) -> int:
        """Return the offset behind a line and its break."""
        number = bisect_right(self.starts, offset)
        return self.starts[number] if number < len(self.starts) else len(self.text)

    def _position(self, offset: int) -> tuple[int, int]:
        number = bisect_right(self.starts, offset)
        return number, offset - self.starts[number - 1] + 1
