"""Text of a command line, so that diagnostics can point at its words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from trainc.commandline.word import Word
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Rejected, error
from trainc.source.load import find_surrogate
from trainc.span import Source, Span


def quoted_words(name: str, arguments: Sequence[str]) -> list[Word]:
    """Return the words of a command with their positions in its text, which is quoted for a shell.

    Raises Rejected if an argument is not valid Unicode.
    """
    source = Source(name, shlex.join([name, *arguments]))
    surrogate = find_surrogate(source.text)
    if surrogate is not None:
        message = "half of a surrogate pair is not valid text"
        raise Rejected(error(codes.INVALID_CHARACTERS, message, source.span_at(surrogate)))
    words, start = [], 0
    for argument in (name, *arguments):
        end = start + len(shlex.quote(argument))
        words.append(Word(text=argument, span=_between(source, start, end)))
        start = end + 1
    return words


def _between(source: Source, start: int, end: int) -> Span:
    last = source.span_at(end)
    return source.span_at(start).until(last.line, last.column)
