"""Run a command line; errors of trainc itself are one line."""

from __future__ import annotations

import os
import sys

from trainc.cli.arguments import ARGUMENTS, parse
from trainc.cli.commands import COMMANDS, load, run
from trainc.cli.exit_codes import INTERRUPTED, OK, USAGE
from trainc.cli.parameters import InvalidParameter, parameters


def guarded(arguments: list[str]) -> int:
    """Run a command; return the exit code."""
    ARGUMENTS[:] = arguments
    if arguments[:1] == ["version"]:
        arguments = ["--version"]
    elif arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    if any("json" in word for word in arguments):
        from trainc.cli.notices import collect_if_json

        collect_if_json(arguments)
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
    from trainc.cli.unknown_command import report_unknown_command

    report_unknown_command(arguments)
    return USAGE


def _run(arguments: list[str]) -> int:
    try:
        return _run_command(arguments) or OK
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # for which Typer exits with 1, the code of invalid jobs
            return _failed(ended.__context__)
        return ended.code if isinstance(ended.code, int) else OK  # of shell completion
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as problem:
        if "--debug" in arguments and not hasattr(problem, "show"):  # which usage errors of Click have
            raise
        return _failed(problem)


def _run_command(arguments: list[str]) -> int | None:
    """Run a command; Typer is imported only for what arguments.py doesn't parse, and for usage errors."""
    error = None
    if arguments and arguments[0] in COMMANDS and "_TRAINC_COMPLETE" not in os.environ:
        values = parse(parameters(load(arguments[0])), arguments[1:])
        if values is not None:
            try:
                return run(arguments[0], values)
            except InvalidParameter as problem:
                error = problem
    from trainc.cli.app import run_with_typer

    return run_with_typer(arguments, error)


def _failed(problem: Exception) -> int:
    from trainc.cli.failures import report_failure

    report_failure(problem)
    return USAGE
