"""Positions in the user's text, and values with a position."""

from __future__ import annotations

import re

from trainc.typenames import Any

# Line breaks of YAML 1.1, by which the parser counts lines.
LINE_BREAKS = ("\r\n", "\r", "\n", "\x85", "\u2028", "\u2029")
# Names of sources that are not files.
STDIN, COMMAND, OPTION = "<stdin>", "<command>", "--set"
HIDDEN = "*"  # for each character of a secret
Place = tuple[str, int, int, int, int]  # source, line and column of the first character, and of the end


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, without their breaks."""
    return re.split("|".join(LINE_BREAKS), text)


class Source:
    """Input: a file, standard input or a job of it, a command in the arguments, or a command-line option."""

    __slots__ = ("_lines", "name", "shown", "text")

    def __init__(self, name: str, text: str, shown: str | None = None) -> None:
        self.name = name
        self.text = text
        self.shown = text if shown is None else shown  # text of excerpts
        self._lines: list[str] | None = None

    @property
    def is_file(self) -> bool:
        """Return whether the source is a file."""
        return self.name not in (STDIN, COMMAND) and not self.name.startswith((f"{OPTION} ", f"{STDIN} "))

    def line(self, number: int) -> str:
        """Return a line, counted from 1, without its break; empty past the end."""
        lines = self.lines()
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def lines(self) -> list[str]:
        """Return all lines, as shown in excerpts."""
        if self._lines is None:
            self._lines = split_lines(self.shown)
        return self._lines

    def hide(self, span: Span) -> None:
        """Replace a span by asterisks, in every excerpt and in the name of an option's source."""
        lines = self.lines()
        alone = span.line == span.end_line
        secret = self.line(span.line)[span.column - 1 : span.end_column - 1] if alone else ""
        for number in range(span.line, min(span.end_line, len(lines)) + 1):
            line = lines[number - 1]
            start = span.column - 1 if number == span.line else len(line) - len(line.lstrip())
            end = span.end_column - 1 if number == span.end_line else len(line)
            end = max(start, end)  # a block scalar ends at the start of the next line
            lines[number - 1] = line[:start] + HIDDEN * (end - start) + line[end:]
        if secret and self.name.startswith(f"{OPTION} "):
            self.name = self.name.replace(secret, HIDDEN * len(secret))

    def span_at(self, offset: int) -> Span:
        """Return the span of the character at an offset."""
        lines = split_lines(self.text[:offset])
        line, column = len(lines), len(lines[-1]) + 1
        return Span(self, line, column, line, column + 1)


class Span:
    """Span of text. Lines and columns count from 1, columns in code points; the end is exclusive."""

    __slots__ = ("column", "end_column", "end_line", "line", "source")

    def __init__(self, source: Source, line: int, column: int, end_line: int, end_column: int) -> None:
        self.source = source
        self.line = line
        self.column = column
        self.end_line = end_line
        self.end_column = end_column

    def until(self, line: int, column: int) -> Span:
        """Return a span with another end."""
        return Span(self.source, self.line, self.column, line, column)

    @property
    def first(self) -> Span:
        """Span of the first character."""
        return self.until(self.line, self.column + 1)

    @property
    def empty(self) -> bool:
        """Return whether the span has no characters, like the value of `kind:`."""
        return self.column == self.end_column and self.line == self.end_line

    @property
    def place(self) -> Place:
        """Key for sorting and comparing."""
        return self.source.name, self.line, self.column, self.end_line, self.end_column

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


class Text(str):
    """String of the user with its span. Compares and prints like a plain string."""

    __slots__ = ("span",)
    span: Span

    def __new__(cls, value: str, span: Span) -> Text:
        text = str.__new__(cls, value)
        text.span = span
        return text

    def __reduce__(self) -> tuple[type[Text], tuple[str, Span]]:  # for copy and pickle
        return Text, (str(self), self.span)


class Number(int):
    """Whole number of the user with its span. Compares and prints like a plain number; arithmetic drops the span."""

    span: Span

    @classmethod
    def at(cls, value: float, span: Span) -> Number:
        """Return the whole part of a number with its span."""
        number = cls(value)
        number.span = span
        return number


class Traced(dict[str, Any]):
    """Mapping of an object that trainc emits, with the span of the user's field that it comes from.

    `entries` are those of the user's mapping, for the positions of keys, and of values without a span.
    """

    __slots__ = ("entries", "span")
    span: Span
    entries: dict[str, Any]

    @classmethod
    def of(cls, fields: dict[str, Any], origin: Span | None) -> dict[str, Any]:
        """Return fields with their origin; as they are if they have none."""
        if origin is None:
            return fields
        traced = cls(fields)
        traced.span, traced.entries = origin, {}
        return traced

    def __reduce__(self) -> tuple[Any, ...]:  # for copy and pickle: without the user's tree
        return Traced.of, (dict(self), self.span)


def like(origin: dict[str, Any] | None, fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with the origin of the mapping that they replace."""
    if type(origin) is not Traced:
        return fields
    traced = Traced(fields)
    traced.span, traced.entries = origin.span, origin.entries
    return traced


def span_of(value: object) -> Span | None:
    """Return the span of a value of the user, if it has one."""
    return getattr(value, "span", None)


def text_of(number: int) -> str:
    """Return a number as a string, with the span that it may have."""
    return Text(str(number), number.span) if type(number) is Number else str(number)
