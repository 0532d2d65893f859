"""Programs that a manifest brings along and that start the rest of their command line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainc.record import Record

# They name their own words: COUNT, RANK, and so on, and last the command.
_WORDS = re.compile(r"^(\w+(?:, \w+)*), \*command = sys\.argv\[1:\]$", re.MULTILINE)
_SHIFT = re.compile(r'shift (\d); exec "\$@"')
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")


class Script(Record):
    """A program of a manifest: its words by their names, and the command that it starts."""

    arguments: dict[str, str]
    command: tuple[str, ...]
    scales_to_zero: bool


def parse_script(argv: Sequence[str]) -> Script | None:
    """What `python -c TEXT WORD... COMMAND...` starts, if its text says which words are the command; or what a shell
    leaves of its words that only drops the first of them."""
    if len(argv) > 3 and tuple(argv[:2]) == ("sh", "-c") and (shift := _SHIFT.fullmatch(argv[2])):
        return Script(arguments={}, command=tuple(argv[4 + int(shift[1]) :]), scales_to_zero=False)
    if len(argv) < 3 or not _PYTHON.fullmatch(argv[0]):
        return None
    at = next((place for place, word in enumerate(argv[1:], 1) if not word.startswith("-") or word == "-c"), 0)
    if not at or argv[at] != "-c" or at + 1 >= len(argv):
        return None
    names = argument_names(argv[at + 1])
    if not names:
        return None
    rest = argv[at + 2 :]
    stops = "/scale" in argv[at + 1] and '"replicas": 0' in argv[at + 1]
    return Script(
        arguments=dict(zip(names, rest, strict=False)), command=tuple(rest[len(names) :]), scales_to_zero=stops
    )


def argument_names(program: str) -> list[str]:
    """The names of a program's words before the command that it starts; none where it doesn't say."""
    found = _WORDS.search(program)
    return found[1].split(", ") if found else []
