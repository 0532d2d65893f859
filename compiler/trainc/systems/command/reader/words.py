"""Words of a launch command whose text only the running shell knows."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trainc.commandline.word import UNKNOWN, Word
from trainc.span import Text
from trainc.systems.shared.reader.launch_command import CommandReport

_REFERENCE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?::?-[^{}]*)?\}|([A-Za-z_]\w*))", re.ASCII)
_ARGUMENTS = re.compile(r'"?\$(?:\{[@*]\}|[@*])"?')
_FILES = re.compile(r"^~|[*?]|\[[^\[\]\n]*\]")  # a home folder, and patterns of file names
_SHELL = re.compile(r"[$`]|[*?\[]")
# Variables of the shell and of the machine: no pod has the same values.
_OF_MACHINE = frozenset(("HOME", "PWD", "OLDPWD", "USER", "HOSTNAME", "RANDOM", "SECONDS", "UID", "PPID", "SHLVL"))


def spelling(word: Word) -> str:
    """Return a word as the script spells it."""
    span = word.span
    if span is not None and span.line == span.end_line:
        text = span.source.line(span.line)[span.column - 1 : span.end_column - 1]
        if text.strip("\"'") or not word.text:  # not the quote that opens a text of several lines
            return text
    return word.text.replace(UNKNOWN, "…")


def variables_of(word: Word) -> list[str] | None:
    """Return the variables that make a word unknown; None if something else does."""
    references = list(_REFERENCE.finditer(spelling(word)))
    rest = _REFERENCE.sub("", spelling(word))
    if len(references) != word.text.count(UNKNOWN) or _SHELL.search(rest):
        return None
    return [match[1] or match[2] for match in references]


def resolve_words(words: Iterable[Word], report: CommandReport, provided: Iterable[str] = ()) -> list[Text]:
    """Return the words for a container: references become the kubelet's `$(NAME)`.

    `provided` are the variables that each pod has. Others must be set by the user.
    """
    texts = []
    for word in words:
        assert word.span is not None
        if word.known and not (word.text == spelling(word) and _FILES.search(word.text)):
            # Words of one variable have one position; each gets a span of its own, by which it is found again.
            span = word.span.until(word.span.end_line, word.span.end_column)
            texts.append(Text(word.text.replace("$(", "$$("), span))
        elif word.known:
            report.require_value(f"the shell replaces `{word.text}` by names of files where the script runs", word.span)
            texts.append(Text(word.text, word.span))
        elif _ARGUMENTS.fullmatch(spelling(word)):
            report.add_change(f"`{spelling(word)}` is left out: the script is read without arguments", word.span)
        else:
            texts.append(_resolved(word, report, frozenset(provided)))
    return texts


def _resolved(word: Word, report: CommandReport, provided: frozenset[str]) -> Text:
    assert word.span is not None
    names = variables_of(word)
    if names is None or not _OF_MACHINE.isdisjoint(names):
        report.require_value(f"only the running shell knows `{spelling(word)}`", word.span)
        return Text(spelling(word), word.span)
    for name in names:
        if name not in provided:
            message = f"only the running shell knows `${name}`"
            report.require(f"spec.env.{name}", message, word.span, "VALUE")
    pieces = word.text.split(UNKNOWN)
    text = pieces[0].replace("$(", "$$(")
    for name, piece in zip(names, pieces[1:], strict=True):
        text += f"$({name})" + piece.replace("$(", "$$(")
    return Text(text, word.span)
