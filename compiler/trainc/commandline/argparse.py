"""Parser of options, compatible with argparse: https://docs.python.org/3/library/argparse.html"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from trainc.commandline.word import UNKNOWN, Word
from trainc.record import Record

Why = Literal["unknown", "ambiguous", "missing", "not taken"]
_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


class Table(Record):
    """Options by their spellings, each with its name and its number of values.

    With `abbreviates` a unique prefix of a long option is accepted; with `attached` -r3 is -r 3. Options in `last` end
    the list. `variables` are the environment variables that a missing option is read from, by the option's name.
    A table that isn't `complete` lacks options of the launcher.
    """

    options: dict[str, tuple[str, int]]
    abbreviates: bool = True
    attached: bool = True
    last: frozenset[str] = frozenset()
    variables: dict[str, str] = {}
    complete: bool = True

    def with_names(self, **names: tuple[str, ...]) -> Table:
        """Return the table with more options that take a value, by their names."""
        more = {name: (target, 1) for target, spelled in names.items() for name in spelled}
        return self.replace(options={**self.options, **more})


class Given(Record):
    """Option on a command line: the word that names it, and its value; None for a switch."""

    flag: Word
    value: Word | None


class Problem(Record):
    """Word at which the launcher exits with a usage error, and the reason."""

    word: Word
    why: Why


class Parsed(Record):
    """Options before the program, the last of each, and the program. If it isn't `complete`, more may follow."""

    options: dict[str, Given]
    program: tuple[Word, ...]
    complete: bool
    problem: Problem | None


def table(flags: str, values: str, abbreviates: bool = True, dashes: bool = False) -> Table:
    """Return a table from lists of spellings: `-m|--module`. With `dashes`, every underscore may be a dash."""
    spellings: dict[str, tuple[str, int]] = {}
    for names, count in ((flags, 0), (values, 1)):
        for group in names.split():
            spelled = group.split("|")
            target = max(spelled, key=len).lstrip("-").replace("-", "_")
            for name in spelled:
                spellings[name] = target, count
                if dashes:
                    spellings[f"--{name[2:].replace('_', '-')}" if name.startswith("--") else name] = target, count
    return Table(options=spellings, abbreviates=abbreviates)


def parse(known: Table, words: Sequence[Word]) -> Parsed:
    """Parse up to the first word that is no option, which is the program; all words after it are the program's."""
    return _Parser(known, words).run()


class _Parser:
    def __init__(self, known: Table, words: Sequence[Word]) -> None:
        self.known = known
        self.words = words
        self.options: dict[str, Given] = {}

    def run(self) -> Parsed:
        at = 0
        while at < len(self.words) and self.known.last.isdisjoint(self.options):
            word = self.words[at]
            bare = word.text.startswith(UNKNOWN) and word.splits
            if word.text == "--":
                return self._done(at + 1)
            if not bare and not self._is_option(word.text):
                break
            if bare or UNKNOWN in word.text.partition("=")[0]:
                return self._done(at, complete=False)
            next_ = self._option(at)
            if isinstance(next_, Problem):
                return self._done(at, complete=False, problem=next_)
            at = next_
        return self._done(at)

    def _done(self, at: int, complete: bool = True, problem: Problem | None = None) -> Parsed:
        program = tuple(self.words[at:]) if complete else ()
        return Parsed(options=self.options, program=program, complete=complete, problem=problem)

    def _is_option(self, text: str) -> bool:
        if not text.startswith("-") or text == "-":
            return False
        return bool(self._matches(text)) or not (_NUMBER.fullmatch(text) or " " in text)

    def _matches(self, text: str) -> list[tuple[str, str | None]]:
        """Return the options that a word may name, each with the value in the word."""
        options = self.known.options
        name, equals, value = text.partition("=")
        if text in options:
            return [(text, None)]
        if equals and name in options:
            return [(name, value)]
        if not self.known.abbreviates:
            attached = self.known.attached and not text.startswith("--") and text[:2] in options
            return [(text[:2], text[2:])] if attached else []
        if text.startswith("--"):
            return [(option, value if equals else None) for option in options if option.startswith(name)]
        found: list[tuple[str, str | None]] = [(text[:2], text[2:])] if text[:2] in options else []
        return found + [(option, None) for option in options if option.startswith(text)]

    def _option(self, at: int) -> int | Problem:
        """Parse the option at an index; return the index after it."""
        word = self.words[at]
        matches = self._matches(word.text)
        if len(matches) != 1:
            return Problem(word=word, why="ambiguous" if matches else "unknown")
        option, value = matches[0]
        target, count = self.known.options[option]
        while count == 0 and value is not None:
            if option.startswith("--") or not value or f"-{value[0]}" not in self.known.options:
                return Problem(word=word, why="not taken")
            self.options[target] = Given(flag=word, value=None)  # -mr3 is -m -r3
            option, value = f"-{value[0]}", value[1:] or None
            target, count = self.known.options[option]
        if count == 0:
            self.options[target] = Given(flag=word, value=None)
            return at + 1
        if value is not None:
            self.options[target] = Given(flag=word, value=word.replace(text=value))
            return at + 1
        values = self.words[at + 1 : at + 1 + count]
        if len(values) < count or any(value.text == "--" or self._is_option(value.text) for value in values):
            return Problem(word=word, why="missing")
        self.options[target] = Given(flag=word, value=values[0])
        return at + 1 + count
