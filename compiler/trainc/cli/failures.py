"""Messages about exceptions: usage errors of Click, output that can't be written, and faults of trainc or a plug-in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import StringIO
from typing import IO

from trainc.cli.notices import notify
from trainc.cli.streams import abandon
from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible

_REPORT = "this is a bug; please report it with the job and the output of `trainc --debug COMMAND`"


def report_failure(problem: Exception) -> None:
    """Print what went wrong."""
    show = getattr(problem, "show", None)
    if show is not None:  # a usage error of Click, which prints itself
        _print_usage_error(show)
    elif isinstance(problem, OSError):
        _print_write_error(problem)
    else:
        _print_bug(problem)


def _print_usage_error(show: Callable[[IO[str]], None]) -> None:
    text = StringIO()
    show(text)
    lines = [visible(line) for line in text.getvalue().split("\n")]
    message = next((line for line in reversed(lines) if line), "").removeprefix("Error: ")
    notify("usage-error", message, "\n".join(lines))


def _print_write_error(problem: OSError) -> None:
    abandon(sys.stdout)
    name = f": {problem.filename}" if problem.filename else ""
    reason = f"{(problem.strerror or str(problem)).lower()}{name}"
    if isinstance(problem, BrokenPipeError):
        reason = "the reader of the output closed it early"
    _print_error(codes.WRITE_FAILED, reason)


def _print_bug(problem: Exception) -> None:
    """Print an error of trainc itself, or of a plug-in, which has a `help` of its own."""
    help_ = getattr(problem, "help", None)
    message = str(problem)
    if not help_:
        from trainc.cli.plugin_faults import plugin_fault

        message = f"trainc failed: {type(problem).__name__}: {problem}"
        message, help_ = plugin_fault(problem) or (message, _REPORT)
    _print_error(codes.INTERNAL_ERROR, message, help_)


def _print_error(code: codes.Code, message: str, help: str = "") -> None:
    message = visible(" ".join(message.split()))
    line = f"error[{code.id}]: {message}\n{f'  = help: {help}{chr(10)}' if help else ''}"
    notify(code.name, message, line, code=code.id, help=help)
