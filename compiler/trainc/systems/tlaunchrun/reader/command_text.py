"""A command line as a text, so that what is wrong can be pointed at word by word."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from trainc.commandline.word import Word
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Rejected, error
from trainc.source.load import half_character
from trainc.span import Source, Span


def quoted_words(name: str, arguments: Sequence[str]) -> list[Word]:
    """The words of a command with their places in its text, which is quoted as a shell wants it.

    Raises Rejected when it isn't text.
    """
    source = Source(name, shlex.join([name, *arguments]))
    half = half_character(source.text)
    if half is not None:
        raise Rejected(
            error(codes.INVALID_CHARACTERS, "half of a surrogate pair is not valid text", source.span_at(half))
        )
    words, at = [], 0
    for argument in (name, *arguments):
        end = at + len(shlex.quote(argument))
        words.append(Word(text=argument, span=_between(source, at, end)))
        at = end + 1
    return words


def _between(source: Source, start: int, end: int) -> Span:
    last = source.span_at(end)
    return source.span_at(start).until(last.line, last.column)
