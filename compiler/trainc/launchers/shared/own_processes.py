"""Read the command line of trainc's own script that starts a program several times in a pod."""

from __future__ import annotations

from trainc.launchers.shared.processes import SCRIPT
from trainc.resources import read_text
from trainc.span import Text

_LENGTH = 10  # of the words before the program


def read_processes(words: list[Text], variables: tuple[str, str]) -> tuple[Text, tuple[Text, Text], list[Text]] | None:
    """Return the number of processes, the names of the arguments with their ranks, and the words of the program.

    None for any other command, and for a script that passes the ranks in other variables.
    """
    if words[:3] != ["python3", "-I", "-c"] or words[3:4] != [read_text(*SCRIPT)] or len(words) < _LENGTH:
        return None
    count, _, *names = words[4:_LENGTH]
    return (count, (names[2], names[3]), words[_LENGTH:]) if names[:2] == list(variables) else None
