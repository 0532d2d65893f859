"""Positions of the protocol: lines from 0, columns in code units of the encoding that the client chose.

The compiler counts lines by YAML 1.1's breaks, from 1, and columns in code points; the protocol breaks lines at \\n,
\\r\\n and \\r only (Language Server Protocol 3.17, "Text Documents").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise

from lsprotocol.types import Position, PositionEncodingKind, Range, TextEdit

from trainc.diagnostics.remedy import Edit
from trainc.span import LINE_BREAKS, Span

_YAML_BREAK = re.compile("|".join(LINE_BREAKS))
_BREAK = re.compile(r"\r\n|\r|\n")
_UNITS = {
    PositionEncodingKind.Utf8: lambda text: len(text.encode("utf-8", "surrogatepass")),
    PositionEncodingKind.Utf16: lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    PositionEncodingKind.Utf32: len,
}


class Positions:
    """Positions in one text."""

    def __init__(self, text: str, encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16) -> None:
        self._text = text
        self._units = _UNITS[PositionEncodingKind(encoding)]
        self._yaml_starts = _starts(_YAML_BREAK, text)
        self._starts = _starts(_BREAK, text)

    def range(self, span: Span) -> Range:
        """Return the range of a span of the compiler; what lies outside the text is moved to its edge."""
        return self.range_of(*self.offsets(span))

    def offsets(self, span: Span) -> tuple[int, int]:
        """Return the offsets of a span of the compiler."""
        return self._offset(span.line, span.column), self._offset(span.end_line, span.end_column)

    def edits(self, edits: Iterable[Edit]) -> list[TextEdit]:
        """Return edits of the compiler."""
        return [TextEdit(range=self.range(each.span), new_text=each.text) for each in edits]

    def range_of(self, start: int, end: int) -> Range:
        """Return the range of offsets."""
        return Range(start=self.position(start), end=self.position(max(start, end)))

    def position(self, offset: int) -> Position:
        """Return the position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return Position(line=line, character=self._units(self._text[self._starts[line] : offset]))

    def offset(self, position: Position) -> int:
        """Return the offset of a position; of one past the end of its line, that end."""
        if position.line >= len(self._starts):
            return len(self._text)
        start, end = self._line(self._starts, position.line)
        line = _BREAK.sub("", self._text[start:end])
        units = 0
        for number, character in enumerate(line):
            units += self._units(character)
            if units > position.character:
                return start + number
        return start + len(line)

    def _offset(self, line: int, column: int) -> int:
        if line > len(self._yaml_starts):
            return len(self._text)
        start, end = self._line(self._yaml_starts, max(line, 1) - 1)
        return min(start + max(column, 1) - 1, end)

    def _line(self, starts: list[int], number: int) -> tuple[int, int]:
        ends = [*starts[number + 1 : number + 2], len(self._text)]
        return starts[number], ends[0]


def overlap(one: Range, other: Range) -> bool:
    """Return whether two ranges have a position in common, which may be the end of one."""
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: Position) -> tuple[int, int]:
    return position.line, position.character


def _starts(breaks: re.Pattern[str], text: str) -> list[int]:
    starts = [0, *(each.end() for each in breaks.finditer(text))]
    assert all(one < other for one, other in pairwise(starts))
    return starts
