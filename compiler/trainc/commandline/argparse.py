"""Parser of options, compatible with argparse: https://docs.python.org/3/library/argparse.html"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainc.commandline.word import UNKNOWN, Word
from trainc.record import Record
from trainc.typenames import Literal

Reason = Literal["unknown option", "ambiguous option", "missing value", "unexpected value"]
_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


class Table(Record):
    """Options by their spellings, each with its name and its number of values, -1 for a value that may be attached.

    With `abbreviates` a unique prefix of a long option is accepted; with `attached` -r3 is -r 3. Options in `last` end
    the list. `variables` are the environment variables that replace missing options, by the options' names. A table
    that isn't `complete` lacks options of the launcher. With `reads_on` the options after an unknown one are read, too,
    because it may be that of another version.
    """

    options: dict[str, tuple[str, int]]
    abbreviates: bool = True
    attached: bool = True
    last: frozenset[str] = frozenset()
    variables: dict[str, str] = {}
    complete: bool = True
    reads_on: bool = False


class ParsedOption(Record):
    """Option on a command line: its flag, and its value; None for a switch."""

    flag: Word
    value: Word | None

    @property
    def text(self) -> str | None:
        """The value; None for a switch, and for a value that only the running shell knows."""
        return self.value.text if self.value is not None and self.value.known else None


class Problem(Record):
    """Word at which the launcher exits with a usage error, and the reason."""

    word: Word
    reason: Reason

    def __str__(self) -> str:
        return f"`{self.word.text}`: {self.reason}"


class Parsed(Record):
    """Options before the program, the last of each, and the program. If not `complete`, more options may follow."""

    options: dict[str, ParsedOption]
    program: tuple[Word, ...]
    complete: bool
    problem: Problem | None

    @property
    def lacks_program(self) -> bool:
        """Return whether nothing follows the options, so that the launcher exits with a usage error."""
        return self.complete and not self.program and "help" not in self.options


def table(flags: str, values: str, abbreviates: bool = True, optional: str = "") -> Table:
    """Return a table from lists of spellings: `-m|--module`."""
    spellings: dict[str, tuple[str, int]] = {}
    for count, groups in ((0, flags), (1, values), (-1, optional)):
        for group in groups.split():
            names = group.split("|")
            target = max(names, key=len).lstrip("-").replace("-", "_")
            spellings |= dict.fromkeys(names, (target, count))
    return Table(options=spellings, abbreviates=abbreviates)


def parse(known: Table, words: Sequence[Word]) -> Parsed:
    """Parse up to the first word that is no option, which is the program; all words after it are the program's."""
    return _Parser(known, words).run()


class _Parser:
    def __init__(self, known: Table, words: Sequence[Word]) -> None:
        self.known = known
        self.words = words
        self.options: dict[str, ParsedOption] = {}

    def run(self) -> Parsed:
        at, unknown = 0, None
        while at < len(self.words) and self.known.last.isdisjoint(self.options):
            word = self.words[at]
            may_vanish = word.text.startswith(UNKNOWN) and word.splits
            if word.text == "--":
                return self._done(at + 1)
            if not may_vanish and not self._is_option(word.text):
                break
            if may_vanish or UNKNOWN in word.text.partition("=")[0]:
                return self._done(at, complete=False)
            after = self._option(at)
            if after == "unknown option" and self.known.reads_on:
                unknown = unknown or Problem(word=word, reason=after)
                after = at + 1
            if isinstance(after, str):
                return self._done(at, complete=False, problem=Problem(word=word, reason=after))
            at = after
        return self._done(at, complete=unknown is None, problem=unknown)

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
        if self.known.abbreviates and text.startswith("--"):
            return [(option, value if equals else None) for option in options if option.startswith(name)]
        attached = text[:2] in options and not text.startswith("--")
        matches: list[tuple[str, str | None]] = [(text[:2], text[2:])] if attached and self.known.attached else []
        if self.known.abbreviates:
            matches += [(option, None) for option in options if option.startswith(text)]
        return matches

    def _option(self, at: int) -> int | Reason:
        """Parse the option at an index; return the index after it, or why the launcher rejects it."""
        word = self.words[at]
        matches = self._matches(word.text)
        if len(matches) != 1:
            return "ambiguous option" if matches else "unknown option"
        option, value = matches[0]
        target, count = self.known.options[option]
        while count == 0 and value is not None:
            if option.startswith("--") or not value or f"-{value[0]}" not in self.known.options:
                return "unexpected value"
            self.options[target] = ParsedOption(flag=word, value=None)  # -mr3 is -m -r3
            option, value = f"-{value[0]}", value[1:] or None
            target, count = self.known.options[option]
        if value is not None:
            values, count = [word.replace(text=value)], 0
        else:
            count = max(count, 0)
            values = [*self.words[at + 1 : at + 1 + count]]
            if len(values) < count or any(each.text == "--" or self._is_option(each.text) for each in values):
                return "missing value"
        self.options[target] = ParsedOption(flag=word, value=values[0] if values else None)
        return at + 1 + count
