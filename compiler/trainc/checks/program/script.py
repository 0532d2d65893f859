"""A program that is no file: an interpreter where a script is asked for, a whole command line in one word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.launchers import launch_key
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.find_launchers import PYTHON, SHELLS
from trainc.launchers.registry import COMMANDS, SUBCOMMANDS
from trainc.launchers.torchrun.spec import Torchrun
from trainc.span import span_of
from trainc.spec.launch import Basic, Deepspeed

TRIGGERS = ("is_not_plain_script()",)

# What only a shell gives a meaning; a program gets it as an argument.
SHELL_SIGNS = frozenset(("&&", "||", "|", ";", ">", ">>", "<", "2>&1", "&"))
PLAIN = re.compile(r"[\w./+-]+")
OPTION = re.compile("--?[A-Za-z]")
BUILTINS = frozenset(("cd", "export", "source", "set", "exec"))  # of which no image has a file


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """No shell reads `run`: each word is an argument as it is."""
    run = context.spec.run
    if run.kind == "entrypoint":
        yield from _unknown_program(context)
        return
    if not run.words:
        return
    first, *rest = run.words
    where = span_of(first) or run.where(run.kind)
    name = first.rpartition("/")[2]
    pieces = first.split()
    if run.kind == "python" and (PYTHON.fullmatch(name) or name in SHELLS):
        message = f"`{first}` is taken for a Python script: there would be no such file"
        help_ = "leave it out: run.python starts the interpreter itself" if PYTHON.fullmatch(name) else "use run.exec"
        yield error(codes.INVALID_PROGRAM, message, where, help=help_)
    elif len(pieces) > 1 and (surely := _is_command_line(run.kind, pieces)) is not None:
        message = "this is one word, blanks and all: there would be no such file"
        help_ = f"a word for each: [{', '.join(pieces)}]" if _splits_plainly(first) else "give each word its own item"
        severity = error if surely else warning
        yield severity(codes.INVALID_PROGRAM, message, where, help=help_)
    elif run.kind == "module" and ("/" in first or first.endswith(".py")):
        message = f"`{first}` is taken for a module's name: there would be no such module"
        severity = error if "/" in first else warning  # a package may have a module `py`
        yield severity(codes.INVALID_PROGRAM, message, where, help="use run.python")
    elif run.kind == "exec" and name in BUILTINS and name == first:
        message = f"`{first}` is a command of the shell's own: there would be no such file"
        yield error(codes.INVALID_PROGRAM, message, where, help='use [bash, -c, "…"]')
    elif run.kind == "exec" and name not in SHELLS:
        for word in rest:
            if word in SHELL_SIGNS:
                message = f"no shell reads `{word}` here: the program gets it as an argument"
                yield warning(codes.INVALID_PROGRAM, message, span_of(word) or where, help='use [bash, -c, "…"]')
                return


def _unknown_program(context: RuleContext) -> Iterator[Diagnostic]:
    """A launcher needs a program to start."""
    launch = context.spec.launch
    several = isinstance(launch, Basic) and launch.nproc_per_node > 1
    if not (launch.wrap if isinstance(launch, Torchrun) else isinstance(launch, Deepspeed) or several):
        return
    message = f"{context.job.launcher} can't start the image's own entrypoint: only the image knows it"
    help_ = "name the program: run.python, run.module or run.exec"
    help_ += ", or say wrap: false if the entrypoint starts torchrun" if isinstance(launch, Torchrun) else ""
    other = Related(span=launch_key(context), message="would have to start it")
    yield error(codes.INVALID_PROGRAM, message, context.spec.run.where("entrypoint"), help=help_, related=[other])


def _is_command_line(kind: str, pieces: list[str]) -> bool | None:
    """Whether it surely is one, or None if it isn't. A file's name may hold blanks, too, but hardly an option."""
    name = pieces[0].rpartition("/")[2]
    if not PLAIN.fullmatch(pieces[0]):
        return None
    option = False if any(OPTION.match(piece) for piece in pieces[1:]) else None
    if kind == "python":
        return True if name.endswith(".py") else None
    if kind == "module":
        return option if all(part.isidentifier() for part in pieces[0].split(".")) else None
    known = PYTHON.fullmatch(name) or name in SHELLS or name in COMMANDS or name in BUILTINS
    known = known or any(name == command for command, _ in SUBCOMMANDS)
    return True if known or name.endswith((".sh", ".py")) else option


def _splits_plainly(text: str) -> bool:
    """Whether blanks are all that a shell would see in it, and YAML in its words."""
    return text.isascii() and not any(sign in text for sign in "'\"\\$`;&|<>()[]{},*?#:!%@~") and text.isprintable()
