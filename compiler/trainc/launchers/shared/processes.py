"""Command line of trainc's own script that starts a program several times in a pod: templates/shared/processes.py."""

from __future__ import annotations

from trainc.ir.env import FactArg, PodFact
from trainc.ir.pod import Program
from trainc.resources import read_text

POD_VARIABLE = "NODE_RANK"  # the worker's number, from which the script computes the ranks
SCRIPT = ("templates", "shared", "processes.py")


def several(count: int, variables: tuple[str, str], arguments: tuple[str, str], program: Program) -> Program:
    """Return the script that starts the program `count` times.

    `variables` and `arguments` are the names by which a process learns its rank and its rank in the pod; an argument
    without a name is not passed. With Python's -I the files of the job's directory don't shadow Python's own modules.
    """
    pod = FactArg(fact=PodFact.INDEX, variable=POD_VARIABLE)
    args = (str(count), pod, *variables, *arguments, *program.command, *program.args)
    return Program(command=("python3", "-I", "-c", read_text(*SCRIPT)), args=args)
