"""Word of a command line: its text, the parts that are only known at run time, and its position."""

from __future__ import annotations

import re
from bisect import bisect_right

from trainc.record import Record
from trainc.span import Span, span_of, split_lines

# Placeholder for text that only the running shell knows, like $VAR. No argument can contain this character.
UNKNOWN = "\0"
# References that the kubelet expands in commands and arguments: https://kubernetes.io/docs/tasks/inject-data-application/
# define-command-argument-container/; `$$(` is a `$(` that stays.
_EXPANDED = re.compile(r"\$(\$?)\(([-._a-zA-Z0-9]+)\)")

_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class Word(Record):
    """Word; `text` has UNKNOWN for what depends on the run. One that `splits` may become several words, or none."""

    text: str
    span: Span | None = None
    splits: bool = False

    @property
    def known(self) -> bool:
        """Return whether the whole text is known."""
        return UNKNOWN not in self.text

    @property
    def base_name(self) -> str:
        """Name of a command without its folder."""
        return self.text.rpartition("/")[2]


def words(arguments: object) -> list[Word]:
    """Return the words of a container's command line; one that isn't a string is a pod fact of trainc's own."""
    assert isinstance(arguments, list | tuple)
    texts = (argument if isinstance(argument, str) else UNKNOWN for argument in arguments)
    return [
        Word(text=_EXPANDED.sub(lambda match: f"$({match[2]})" if match[1] else UNKNOWN, text), span=span_of(text))
        for text in texts
    ]


def parse_count(text: str | None) -> int | None:
    """Parse a number of at most nine decimal digits; None for anything else."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None


def parse_int(word: Word | None) -> int | None:
    """Parse a word as an integer, as Python does; None if it is not one or not known."""
    try:
        return int(word.text) if word is not None and word.known else None
    except ValueError:
        return None


class Places:
    """Positions of a string's characters in the file, or of the whole string if the file spells it differently.

    Plain scalars, quoted ones without escapes on one line, the lines of a `|` block, and a whole file are spelled the
    same.
    """

    def __init__(self, text: str, span: Span | None) -> None:
        self.span = span
        self.lines = split_lines(text)
        self.starts = [0, *(match.end() for match in _BREAK.finditer(text))]
        self.indent: int | None = None
        self.is_file = span is not None and span.source.text == text
        if span is not None and span.line == span.end_line:
            raw = span.source.line(span.line)[span.column - 1 : span.end_column - 1]
            quoted = len(raw) > 1 and raw[0] in "'\"" and raw[1:-1] == text
            self.indent = 0 if raw == text else 1 if quoted else None

    def part(self, start: int, end: int) -> Span | None:
        """Return the span from one index to another; of several lines the first."""
        span = self.span
        if span is None:
            return None
        if span.line == span.end_line:
            if self.indent is None:
                return span
            column = span.column + self.indent + start
            return Span(span.source, span.line, column, span.line, column + end - start)
        row = bisect_right(self.starts, start) - 1
        number, text = span.line + (0 if self.is_file else 1) + row, self.lines[row]
        line = span.source.line(number)
        if not text.strip() or not line.endswith(text) or line[: -len(text)].strip():
            return span
        column = len(line) - len(text) + start - self.starts[row] + 1
        return Span(span.source, number, column, number, min(column + end - start, len(line) + 1))
