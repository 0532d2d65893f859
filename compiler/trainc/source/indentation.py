"""Indentation of the lines of a YAML text: two spaces for a mapping, and a list in the column of its key.

These are the columns of the files that trainc writes. The lines of a value move with its first line, and comments with
what they are about.
"""

from __future__ import annotations

import re

from trainc.source.layout import BlockScalar, Collection, Layout

_STEP = 2  # spaces
_SPACE = " \t"
_DASHES = re.compile(r"(?:-[ \t]+(?=[^ \t#]))*")  # before the content of an item
_IS_ITEM = re.compile(r"-(?:[ \t]|$)")
_IS_MARKER = re.compile(r"(?:---|\.\.\.)(?:[ \t]|$)")


class _Open:
    """Block collection that the next line may continue, with its old and its new column."""

    def __init__(self, collection: Collection, new: int) -> None:
        self.is_list, self.column, self.new = collection.is_list, collection.column, new


class Indentation:
    """Indentation of lines. Blank lines in `unchanged` are text of scalars, as is the break behind such a line."""

    def __init__(self, lines: list[str], layout: Layout) -> None:
        self.lines, self.layout = lines, layout
        self.new = [line.rstrip(_SPACE) for line in lines]
        self.unchanged = set(layout.in_scalars)
        self.open: list[_Open] = []  # outermost first
        self.shifts: dict[int, int] = {}  # by line, of what follows its indentation and dashes
        self.comments: list[int] = []  # lines of comments since the last content
        self.aligned: set[int] = set()  # comments that continue the one at the end of the line above
        self.last = -1  # line with content

    def texts(self) -> list[str]:
        """Return the new texts of all lines."""
        number = 0
        while number < len(self.lines):
            text = self.lines[number].strip(_SPACE)
            if number in self.layout.first_lines:
                self._continue(number)
            elif text.startswith("#"):
                self.comments.append(number)
            elif text:
                self._start(number)
            scalar = self.layout.block_scalars.get(number)
            number += 1
            if scalar is not None:
                self._block_scalar(scalar)
                number = max(number, scalar.lines.stop)
        self._place_comments(-1, 0)
        return self.new

    def _start(self, number: int) -> None:
        """Format a line that starts with a key, a dash, a value or a marker of the document."""
        line = self.lines[number]
        text = line.lstrip(_SPACE)
        column = len(line) - len(text)
        if not column and _IS_MARKER.match(text):
            self._place_comments(-1, 0)
            self._set(number, line, 0)
            self.open = []
            return
        is_item = _IS_ITEM.match(text) is not None  # a list ends at a key in its column, a mapping doesn't
        around = [each for each in self.open if each.column < column + (is_item or not each.is_list)]
        starts = self.layout.collections.get(number, [])
        new = _new_column(column, around, starts)
        self._place_comments(column, new)
        self.open, self.last = around, number
        match = _DASHES.match(text)
        dashes = match[0] if match else ""
        prefix = " " * new + "- " * dashes.count("-")
        shift = len(prefix) - column - len(dashes)
        self._set(number, prefix + text[len(dashes) :], shift)
        for each in starts:
            before = dashes[: each.column - column]
            is_behind = each.column >= column + len(dashes)
            self.open.append(_Open(each, each.column + shift if is_behind else new + _STEP * before.count("-")))

    def _continue(self, number: int) -> None:
        """Move a line of a value with its first line; it stays to the right of the key or dash of the value."""
        line = self.lines[number]
        text = line.lstrip(" ")
        if not text.strip(_SPACE):
            self.shifts[number] = 0
            if number in self.unchanged:
                self.new[number] = line
            return
        column, shift = len(line) - len(text), self.shifts[self.layout.first_lines[number]]
        around = self.open[-1] if self.open else None
        if around is None:
            new = column
        elif column > around.column:
            new = max(column + shift, around.new + 1)
        else:  # a closing bracket; nothing moves to the start of a line, where a marker of the document would be
            new = max(column + around.new - around.column, min(column, 1))
        self._set(number, " " * new + text, new - column)

    def _set(self, number: int, text: str, shift: int) -> None:
        self.new[number] = text if number in self.layout.in_quotes else text.rstrip(_SPACE)
        self.shifts[number] = shift

    def _block_scalar(self, scalar: BlockScalar) -> None:
        """Indent the text of a block scalar by two spaces, or as its indicator says; blank lines are empty."""
        lines = {number: self.lines[number] for number in scalar.lines}
        around = self.open[-1] if self.open else None
        if around is None:  # the whole document
            self.new[scalar.lines.start : scalar.lines.stop] = lines.values()
            self.unchanged.update(lines)
            return
        widths = {number: len(line) - len(line.lstrip(" ")) for number, line in lines.items()}
        if scalar.indicator:
            old, new = around.column + scalar.indicator, around.new + scalar.indicator
        else:
            first = next((number for number, line in lines.items() if line.strip(" ")), None)
            old = max(widths.values(), default=0) if first is None else widths[first]
            new = around.new + _STEP
        blank = {number for number, line in lines.items() if len(line) == widths[number] <= old}
        self.new[scalar.lines.start : scalar.lines.stop] = [
            "" if number in blank else " " * new + line[old:] for number, line in lines.items()
        ]
        # The breaks at the end are part of the text only with `+`, that of its last line also without `-`.
        last = max((number for number in lines if scalar.chomping == "+" or number not in blank), default=-1)
        self.unchanged.update(range(scalar.lines.start, last + (scalar.chomping != "-")))

    def _place_comments(self, column: int, new: int) -> None:
        """Place the comments before a line with content, which has an old and a new column."""
        for number in self.comments:
            line = self.lines[number]
            text = line.lstrip(_SPACE)
            own = len(line) - len(text)
            after = self._comment_column(number, own, column, new)
            self._set(number, " " * after + text, after - own)
        self.comments = []

    def _comment_column(self, number: int, own: int, next_column: int, next_new: int) -> int:
        """Return the new column of a comment: that of the next content, or of the block that the comment ends."""
        above = self.lines[number - 1] if number else ""
        if above[own : own + 1] == "#" and (above[:own].strip(_SPACE) or number - 1 in self.aligned):
            self.aligned.add(number)
            return own + self.shifts[number - 1]
        innermost = self.open[-1] if self.open else None
        if innermost and own > max(innermost.column, next_column) and self.last in self.layout.without_value:
            return innermost.new + _STEP
        ended = [each.new for each in self.open if next_column < each.column <= own]
        return ended[-1] if ended else next_new


def _new_column(column: int, around: list[_Open], starts: list[Collection]) -> int:
    """Return the new column of a line in a column, with the collections around it and those that start on it."""
    if not around:
        return 0 if starts else column
    parent = around[-1]
    if starts and starts[0].column == column:
        return parent.new if starts[0].is_list and not parent.is_list else parent.new + _STEP
    return parent.new if parent.column == column else parent.new + _STEP
