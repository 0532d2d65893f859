"""Program that is not a file: an interpreter, an option or a whole command line; arguments after the program's `--`."""

from __future__ import annotations

import re

from trainc.checks.rule import (
    Diagnostics,
    Help,
    Message,
    RuleContext,
    codes,
    error,
    put,
    remove,
    rename,
    replace,
    warning,
)
from trainc.commandline.argparse import parse
from trainc.commandline.shell import SHELLS
from trainc.commandline.word import words
from trainc.launchers.find_launchers import PYTHON
from trainc.launchers.registry import COMMANDS
from trainc.span import span_of

TRIGGERS = ("is_not_plain_script()", "has_separator()")

# Operators of a shell; a program receives them as arguments.
SHELL_SIGNS = frozenset(("&&", "||", "|", ";", ">", ">>", "<", "2>&1", "&"))
SPECIAL = frozenset("'\"\\$`;&|<>()[]{},*?#:!%@~")
PLAIN = re.compile(r"[\w./+-]+")
OPTION = re.compile("--?[A-Za-z]")
BUILTINS = frozenset(("cd", "export", "source", "set", "exec"))  # no image has files of these names


def check(context: RuleContext) -> Diagnostics:
    """Check the program and its arguments: no shell parses `run`, each item is one argument."""
    run = context.spec.run
    if run.kind == "entrypoint":
        yield from _unknown_program(context)
    elif run.words:
        yield from _program(context)
        yield from _option_as_program(context, run.words[0])
        yield from _separator(context)


def _program(context: RuleContext) -> Diagnostics:
    run = context.spec.run
    program, *arguments = run.words
    where = span_of(program) or run.where(run.kind)
    name, parts, severity = program.rpartition("/")[2], program.split(), warning
    key, remedy = run.node.entries[run.kind].key.span if run.kind in run.node.entries else None, None
    help_: Help
    if run.kind == "python" and (PYTHON.fullmatch(name) or name in SHELLS):
        message = f"`{program}` is taken for a Python script: no such file"
        help_, remedy = Message("use {run.exec}"), rename(key, "exec", safe=True)
        if PYTHON.fullmatch(name):
            help_, remedy = Message("remove it: {run.python} starts the interpreter"), remove(where, safe=True)
        severity = error
    elif len(parts) > 1 and (is_certain := _is_command_line(run.kind, parts)) is not None:
        message = "the command line is a single item, which is taken for a file name with spaces"
        # Splitting at spaces is exact if no character is special to a shell or to YAML.
        is_plain = program.isascii() and program.isprintable() and not SPECIAL & {*program}
        help_ = f"split it: [{', '.join(parts)}]" if is_plain else "split it into one item per argument"
        remedy = replace(where, tuple(parts), safe=is_certain) if is_plain else None
        severity = error if is_certain else warning
    elif run.kind == "module" and ("/" in program or program.endswith(".py")):
        message, help_ = f"`{program}` is taken for a module name: no such module", Message("use {run.python}")
        severity = error if "/" in program else warning  # a package may have a module `py`
        remedy = rename(key, "python", safe="/" in program)
    elif run.kind == "exec" and name in BUILTINS and name == program:
        message, help_ = f"`{program}` is a shell builtin, not a file", 'use [bash, -c, "…"]'
        severity = error
    elif run.kind == "exec" and name not in SHELLS and (signs := [word for word in arguments if word in SHELL_SIGNS]):
        message = f"no shell interprets `{signs[0]}`: the program receives it as an argument"
        help_, where = 'use [bash, -c, "…"]', span_of(signs[0]) or where
    else:
        return
    yield severity(codes.INVALID_PROGRAM, message, where, help=help_, remedy=remedy)


def _unknown_program(context: RuleContext) -> Diagnostics:
    """Reject the image's entrypoint if a launcher has to start the program."""
    launch = context.spec.launch
    if not launch.needs_program or (context.system.has_launcher_pod and not launch.wraps_program):
        return  # the program starts the processes itself, from the launcher pod
    message = f"{context.job.launch.launcher.name} cannot start the image's entrypoint, which only the image defines"
    name_program = Message("name the program in {run.python}, {run.module} or {run.exec}")
    help_: Help = name_program
    if launch.traits.variable_prefix:
        starts = Message("set `{launch.torchrun/wrap: false}` if the entrypoint starts {}", launch.traits.name)
        help_ = (name_program, starts)
    other = (context.launch_key, "has to start it")
    yield error(codes.INVALID_PROGRAM, message, context.spec.run.where("entrypoint"), help=help_, related=[other])


def _is_command_line(kind: str, parts: list[str]) -> bool | None:
    """Return whether the item is certainly (True) or probably (False) a command line; None if it may be a file name."""
    program = parts[0]
    name = program.rpartition("/")[2]
    if not PLAIN.fullmatch(program):
        return None
    has_option = False if any(OPTION.match(part) for part in parts[1:]) else None
    if kind == "python":
        return True if name.endswith(".py") else None
    if kind == "module":
        return has_option if all(part.isidentifier() for part in program.split(".")) else None
    known = PYTHON.fullmatch(name) or name in SHELLS or name in BUILTINS
    known = known or any(name == command.partition(" ")[0] for command in COMMANDS)
    return True if known or name.endswith((".sh", ".py")) else has_option


def _option_as_program(context: RuleContext, program: str) -> Diagnostics:
    """Yield a warning if the launcher has such an option and continues with the program after it, else an error."""
    run, launch = context.spec.run, context.spec.launch
    if len(program) < 2 or not program.startswith("-"):
        return
    if not launch.wraps_program and (launch.traits.has_processes or run.kind == "python"):
        return  # arguments of a program that starts the launcher itself, or Python's own, behind python3
    # argparse reads options up to the program's name.
    is_option = launch.wraps_program and parse(launch.command_grammar, words(run.words)).problem is None
    problem = "no such file"
    if launch.wraps_program:
        has = "takes it for its own option" if is_option else "has no such option"
        problem = f"{launch.command_name} {has}"
    help_: Help = "name the program first"
    remedy, where = None, span_of(program) or run.where(run.kind)
    if program == "-m":
        help_, remedy = "remove -m", remove(where, safe=True)
        if run.kind != "module":
            help_ = Message("use {run.module}")
            remedy = remedy + rename(run.node.entries[run.kind].key.span, "module") if run.kind == "python" else None
    elif program == "-u" and run.kind == "python":
        help_ = "remove it, and set PYTHONUNBUFFERED: 1 in env"
        remedy = remove(where, safe=True) + put("spec.env.PYTHONUNBUFFERED", "1", safe=True)
    elif is_option:
        help_ = f"name the program first, and set launcher options in launch.{launch.traits.name}"
    severity, message = warning if is_option else error, f"`{program}` is in place of the program: {problem}"
    yield severity(codes.INVALID_PROGRAM, message, where, help=help_, remedy=remedy)


def _separator(context: RuleContext) -> Diagnostics:
    """Report arguments after `--`: https://docs.python.org/3/library/argparse.html#arguments-containing."""
    spec, run = context.spec, context.spec.run
    # In run.exec `--` may end the options of a wrapper, like `env` or `uv run`.
    if "--" not in run.words or run.kind == "exec":
        return
    paths = (spec.save, spec.checkpoint, spec.share_file)
    appended = [*spec.launch.appended_arguments, *(path.argument for path in paths if path and path.argument)]
    if appended:
        where = span_of(run.words[run.words.index("--")]) or run.where(run.kind)
        names = " and ".join(f"`{name}`" for name in appended)
        message = f"trainc appends {names} after this, where options are not parsed"
        help_ = "remove the `--`, or name no arguments and read the environment variables in the program"
        yield warning(codes.ARGUMENTS_AFTER_SEPARATOR, message, where, help=help_, remedy=remove(where))
