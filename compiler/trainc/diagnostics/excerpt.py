"""Excerpts: source lines with marks under the positions of a diagnostic, and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from trainc.diagnostics.cells import cells, visible
from trainc.record import Record
from trainc.span import Span

MAX_WIDTH = 120  # characters of a line that are shown
_CUT = "..."

Paint = Callable[[str], str]


class Mark(Record):
    """Position, the sign that underlines it, its label and its color."""

    span: Span
    sign: str
    label: str
    paint: Paint


class _Drawn(Record):
    """Mark on the screen: columns from 0, the end exclusive."""

    start: int
    end: int
    mark: Mark


def excerpt(marks: list[Mark], margin: int, frame: Paint) -> list[str]:
    """Return the lines of the marks of one source, with line numbers `margin` wide; the first mark is the main one.

    `...` stands for two or more lines in between, as in rustc.
    """
    empty = f"{' ' * margin} {frame('|')}"
    drawn: list[str] = []
    before = 0
    for number, group in groupby(sorted(marks, key=lambda mark: mark.span.line), key=lambda mark: mark.span.line):
        here = list(group)
        line = here[0].span.source.line(number)
        if not line and all(mark.span.column == 1 for mark in here):  # an empty file, or one that can't be read
            drawn += [f"{empty} {mark.paint(visible(mark.label))}" for mark in here if mark.label]
            continue
        if not before:
            drawn.append(empty)
        elif number - before == 2:
            between = _cut(here[0].span.source.line(number - 1), 0)[0]
            drawn.append(f"{frame(str(number - 1).rjust(margin))} {frame('|')} {between}".rstrip())
        elif number - before > 2:
            drawn.append(frame(_CUT))
        before = number
        main = min(here, key=marks.index)
        shown, places = _placed(line, here, main)
        drawn.append(f"{frame(str(number).rjust(margin))} {frame('|')} {shown}".rstrip())
        drawn += [f"{empty} {row}" for row in _rows(places)]
    return drawn


def _placed(line: str, marks: list[Mark], main: Mark) -> tuple[str, list[_Drawn]]:
    shown, first, widths = _cut(line, main.span.column - 1)
    lead = len(_CUT) if first else 0
    places = []
    for mark in marks:
        start = min(mark.span.column - 1, len(line))
        # A span of several lines is underlined to the end of its first.
        end = mark.span.end_column - 1 if mark.span.end_line == mark.span.line else len(line.rstrip())
        start, end = (min(max(at - first, 0), len(widths)) for at in (start, max(end, start + 1)))
        left = lead + sum(widths[:start])
        places.append(_Drawn(start=left, end=max(left + sum(widths[start:end]), left + 1), mark=mark))
    return shown, places


def _cut(line: str, main: int) -> tuple[str, int, list[int]]:
    """Return a piece of the line around a character, the index of its first character, and the widths of all."""
    first, length = 0, MAX_WIDTH
    if len(line) > MAX_WIDTH:
        length -= 2 * len(_CUT)
        first = max(0, min(main, len(line)) - length // 2)
    piece = line[first : first + length]
    parts = cells(piece)
    after = _CUT if first + len(piece) < len(line) else ""
    return f"{_CUT if first else ''}{''.join(text for text, _ in parts)}{after}", first, [width for _, width in parts]


def _rows(places: list[_Drawn]) -> Iterable[str]:
    """Yield a row of marks with the label of the last one; below it the other labels, from right to left."""
    places = sorted(places, key=lambda place: (place.start, place.end))
    row: dict[int, tuple[Mark, str]] = {}
    for place in sorted(places, key=lambda place: place.mark.sign == "^"):  # the main mark is never covered
        row.update(dict.fromkeys(range(place.start, place.end), (place.mark, place.mark.sign)))
    last = max(places, key=lambda place: (place.end, bool(place.mark.label)))
    hanging = [place for place in places if place.mark.label and place is not last]
    yield _painted(row) + (f" {last.mark.paint(visible(last.mark.label))}" if last.mark.label else "")
    while hanging:
        *others, place = hanging
        stems = {other.start: (other.mark, "|") for other in others}
        yield _painted({**stems, place.start: (place.mark, "|")})
        before = {column: stem for column, stem in stems.items() if column < place.start}
        gap = " " * (place.start - 1 - max(before, default=-1))
        yield f"{_painted(before)}{gap}{place.mark.paint(visible(place.mark.label))}"
        hanging = others


def _painted(row: dict[int, tuple[Mark, str]]) -> str:
    columns = [row.get(column, (None, " ")) for column in range(max(row, default=-1) + 1)]
    runs = ((mark, "".join(sign for _, sign in run)) for mark, run in groupby(columns, key=lambda column: column[0]))
    return "".join(mark.paint(signs) if mark else signs for mark, signs in runs)
