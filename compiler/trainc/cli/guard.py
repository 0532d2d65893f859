"""Run a command line; errors of trainc itself are one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import StringIO

from trainc.cli.arguments import parse
from trainc.cli.commands import COMMANDS, load
from trainc.cli.exit_codes import INTERRUPTED, OK, USAGE
from trainc.cli.parameters import InvalidParameter, call, parameters
from trainc.cli.streams import abandon
from trainc.diagnostics import codes
from trainc.typenames import IO

ARGUMENTS: list[str] = []  # the command line that runs, for messages that name it


def guarded(arguments: list[str]) -> int:
    """Run a command; return the exit code."""
    ARGUMENTS[:] = arguments
    if arguments[:1] == ["version"]:
        arguments = ["--version"]
    elif arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    if any("json" in word for word in arguments):
        from trainc.cli.notices import are_json, collect

        if are_json(arguments):
            collect()
    code: int = INTERRUPTED
    try:
        code = _dispatch(arguments)
    finally:
        notices = sys.modules.get("trainc.cli.notices")
        if notices is not None and notices.is_collecting():  # by an option, or by a project file
            notices.end(is_silent=code == INTERRUPTED or arguments[:1] == ["check"])
    return code


def _dispatch(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if not first or first in COMMANDS or first.startswith("-"):
        return _run(arguments)
    from trainc.cli.kubectl_lines import report_kubectl_line
    from trainc.cli.unknown_command import report_unknown_command

    if not report_kubectl_line(arguments):
        report_unknown_command(arguments)
    return USAGE


def _run(arguments: list[str]) -> int:
    try:
        return _run_command(arguments) or OK
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # for which Typer exits with 1, the code of invalid jobs
            return _cant_write(ended.__context__)
        return ended.code if isinstance(ended.code, int) else OK  # of shell completion
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as problem:
        show = getattr(problem, "show", None)
        if show is not None:  # a usage error of Click, which prints itself
            _print_usage_error(show)
            return USAGE
        if "--debug" in arguments:
            raise
        return _cant_write(problem) if isinstance(problem, OSError) else _bug(problem)


def _run_command(arguments: list[str]) -> int | None:
    """Run a command; Typer is imported only for what arguments.py doesn't parse, and for usage errors."""
    error = None
    if arguments and arguments[0] in COMMANDS and "_TRAINC_COMPLETE" not in os.environ:
        command = load(arguments[0])
        values = parse(parameters(command), arguments[1:])
        if values is not None:
            try:
                return call(command, values)
            except InvalidParameter as problem:
                error = problem
    from trainc.cli.app import run

    return run(arguments, error)


def _print_usage_error(show: Callable[[IO[str]], None]) -> None:
    from trainc.cli.notices import notify
    from trainc.diagnostics.cells import visible

    text = StringIO()
    show(text)
    lines = [visible(line) for line in text.getvalue().split("\n")]
    message = next((line for line in reversed(lines) if line), "").removeprefix("Error: ")
    notify("usage-error", message, "\n".join(lines))


def _cant_write(problem: OSError) -> int:
    abandon(sys.stdout)
    name = f": {problem.filename}" if problem.filename else ""
    reason = f"{(problem.strerror or str(problem)).lower()}{name}"
    if isinstance(problem, BrokenPipeError):
        reason = "the reader of the output closed it early"
    _print_error(codes.WRITE_FAILED, reason)
    return USAGE


_REPORT = "this is a bug; please report it with the job and the output of `trainc --debug COMMAND`"


def _bug(problem: Exception) -> int:
    """Print an error of trainc itself, or of a plug-in, which has a `help` of its own."""
    help_ = getattr(problem, "help", None)
    message = str(problem)
    if not help_:
        from trainc.cli.plugin_faults import plugin_fault

        message = f"trainc failed: {type(problem).__name__}: {problem}"
        message, help_ = plugin_fault(problem) or (message, _REPORT)
    _print_error(codes.INTERNAL_ERROR, message, help_)
    return USAGE


def _print_error(code: codes.Code, message: str, help: str = "") -> None:
    from trainc.cli.notices import notify
    from trainc.diagnostics.cells import visible

    message = visible(" ".join(message.split()))
    line = f"error[{code.id}]: {message}\n{f'  = help: {help}{chr(10)}' if help else ''}"
    notify(code.name, message, line, code=code.id, help=help)
