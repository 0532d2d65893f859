"""Command line of trainc's own script that starts a program several times in a pod: templates/shared/processes.py."""

from __future__ import annotations

from trainc.ir.env import FactArg, PodFact
from trainc.ir.pod import Program
from trainc.resources import read_text
from trainc.span import Text

POD_VARIABLE = "NODE_RANK"  # the worker's number, from which the script computes the ranks
SCRIPT = ("templates", "shared", "processes.py")
_LENGTH = 10  # of the words before the program


def several(count: int, variables: tuple[str, str], arguments: tuple[str, str], program: Program) -> Program:
    """Return the script that starts the program `count` times.

    `variables` and `arguments` are the names by which a process learns its rank and its rank in the pod; an argument
    without a name is not passed. With Python's -I the files of the job's directory don't shadow Python's own modules.
    """
    pod = FactArg(fact=PodFact.INDEX, variable=POD_VARIABLE)
    args = (str(count), pod, *variables, *arguments, *program.command, *program.args)
    return Program(command=("python3", "-I", "-c", read_text(*SCRIPT)), args=args)


def read_processes(words: list[Text], variables: tuple[str, str]) -> tuple[Text, tuple[Text, Text], list[Text]] | None:
    """Return the number of processes, the names of the arguments with their ranks, and the words of the program.

    None for any other command, and for a script that passes the ranks in other variables.
    """
    if words[:3] != ["python3", "-I", "-c"] or words[3:4] != [read_text(*SCRIPT)] or len(words) < _LENGTH:
        return None
    count, _, *names = words[4:_LENGTH]
    return (count, (names[2], names[3]), words[_LENGTH:]) if names[:2] == list(variables) else None
