"""Scripts of a manifest that start the rest of their command line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainc.record import Record

# The scripts unpack their arguments by name, the command last: `count, rank, *command = sys.argv[1:]`.
_UNPACKING = re.compile(r"^(\w+(?:, \w+)*), \*command = sys\.argv\[1:\]$", re.MULTILINE)
_SHIFT = re.compile(r'shift (\d); exec "\$@"')
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")


class Script(Record):
    """A script's arguments by name, and the command that it starts."""

    arguments: dict[str, str]
    command: tuple[str, ...]
    scales_to_zero: bool


def parse_script(argv: Sequence[str]) -> Script | None:
    """Parse `python -c TEXT ARGUMENT... COMMAND...` and `sh -c 'shift N; exec "$@"' ...`; None for other commands."""
    if len(argv) > 3 and tuple(argv[:2]) == ("sh", "-c") and (shift := _SHIFT.fullmatch(argv[2])):
        return Script(arguments={}, command=tuple(argv[4 + int(shift[1]) :]), scales_to_zero=False)
    if len(argv) < 3 or not _PYTHON.fullmatch(argv[0]):
        return None
    at = next((index for index, word in enumerate(argv[1:], 1) if not word.startswith("-") or word == "-c"), 0)
    if not at or argv[at] != "-c" or at + 1 >= len(argv):
        return None
    text, rest = argv[at + 1], argv[at + 2 :]
    names = argument_names(text)
    if not names:
        return None
    return Script(
        arguments=dict(zip(names, rest, strict=False)),
        command=tuple(rest[len(names) :]),
        scales_to_zero="/scale" in text and '"replicas": 0' in text,
    )


def argument_names(program: str) -> list[str]:
    """Return the names of a script's arguments before the command; empty if the script does not unpack them."""
    match = _UNPACKING.search(program)
    return match[1].split(", ") if match else []
