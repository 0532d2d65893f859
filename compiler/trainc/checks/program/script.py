"""Program that is not a file: an interpreter instead of a script, or a command line in one item."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, error, warning
from trainc.checks.shared.program_command import launch_key
from trainc.launchers.find_launchers import PYTHON, SHELLS
from trainc.launchers.registry import COMMANDS, SUBCOMMANDS
from trainc.span import span_of

TRIGGERS = ("is_not_plain_script()",)

# Operators of a shell; a program receives them as arguments.
SHELL_SIGNS = frozenset(("&&", "||", "|", ";", ">", ">>", "<", "2>&1", "&"))
PLAIN = re.compile(r"[\w./+-]+")
OPTION = re.compile("--?[A-Za-z]")
BUILTINS = frozenset(("cd", "export", "source", "set", "exec"))  # no image has files of these names


def check(context: RuleContext) -> Diagnostics:
    """No shell reads `run`: each item is one argument."""
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
        message = f"`{first}` is taken for a Python script: no such file"
        help_ = "remove it: run.python starts the interpreter" if PYTHON.fullmatch(name) else "use run.exec"
        yield error(codes.INVALID_PROGRAM, message, where, help=help_)
    elif len(pieces) > 1 and (surely := _is_command_line(run.kind, pieces)) is not None:
        message = "the command line is a single item, which is taken for a file name with spaces"
        help_ = f"split it: [{', '.join(pieces)}]" if _splits_plainly(first) else "split it into one item per argument"
        severity = error if surely else warning
        yield severity(codes.INVALID_PROGRAM, message, where, help=help_)
    elif run.kind == "module" and ("/" in first or first.endswith(".py")):
        message = f"`{first}` is taken for a module name: no such module"
        severity = error if "/" in first else warning  # a package may have a module `py`
        yield severity(codes.INVALID_PROGRAM, message, where, help="use run.python")
    elif run.kind == "exec" and name in BUILTINS and name == first:
        message = f"`{first}` is a shell builtin, not a file"
        yield error(codes.INVALID_PROGRAM, message, where, help='use [bash, -c, "…"]')
    elif run.kind == "exec" and name not in SHELLS:
        for word in rest:
            if word in SHELL_SIGNS:
                message = f"no shell interprets `{word}`: the program receives it as an argument"
                yield warning(codes.INVALID_PROGRAM, message, span_of(word) or where, help='use [bash, -c, "…"]')
                return


def _unknown_program(context: RuleContext) -> Diagnostics:
    """Reject the image's entrypoint if a launcher has to start the program."""
    launch = context.spec.launch
    if not launch.needs_program:
        return
    message = f"{context.job.launch.launcher.name} cannot start the image's entrypoint, which only the image defines"
    help_ = "name the program in run.python, run.module or run.exec"
    help_ += (
        f", or set `wrap: false` if the entrypoint starts {launch.traits.name}" if launch.traits.variable_prefix else ""
    )
    other = Related(span=launch_key(context), message="has to start it")
    yield error(codes.INVALID_PROGRAM, message, context.spec.run.where("entrypoint"), help=help_, related=[other])


def _is_command_line(kind: str, pieces: list[str]) -> bool | None:
    """Return whether the item is certainly (True) or probably (False) a command line; None if it may be a file name."""
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
    """Return whether splitting at spaces is exact: the text has no character that is special to a shell or to YAML."""
    return text.isascii() and not any(sign in text for sign in "'\"\\$`;&|<>()[]{},*?#:!%@~") and text.isprintable()
