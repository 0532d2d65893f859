"""Messages that are no diagnostics of a file: lines on stderr, or entries of the document of `--message-format json`.

A command that writes the document to stderr writes it once, at its end, with the diagnostics and all other messages.
schemas/messages.json describes it.
"""

from __future__ import annotations

from itertools import pairwise

from trainc.cli.exit_codes import USAGE
from trainc.cli.streams import to_stderr
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.diagnostics.diagnostic import Diagnostic
    from trainc.diagnostics.formats.json import Document

_FORMAT = "--message-format"
_collected: list[Document] = []  # the document of the command that runs, if its messages are JSON


def collect_if_json(arguments: list[str]) -> None:
    """Collect messages for the document if a command line, which may be wrong, asks for messages in JSON."""
    form = ""
    for word, following in pairwise([*arguments, ""]):
        if word == "--":
            break
        if word == _FORMAT:
            form = following
        elif word.startswith(f"{_FORMAT}="):
            form = word.partition("=")[2]
    if form == "json":
        collect()


def is_collecting() -> bool:
    """Return whether messages are collected for the document, so that nothing else may be written to stderr."""
    return bool(_collected)


def collect() -> None:
    """Collect messages until the end of the command."""
    from trainc.diagnostics.formats.json import Document

    _collected[:] = [Document()]


def end(is_silent: bool) -> None:
    """Write the document; if `is_silent`, only one with messages."""
    document = _collected.pop()
    if document.messages or not is_silent:
        to_stderr(document.text())


def add_diagnostics(diagnostics: list[Diagnostic]) -> None:
    """Put diagnostics into the document."""
    _collected[-1].add_diagnostics(diagnostics)


def notify(
    name: str,
    message: str,
    line: str | None = None,
    *,
    severity: str = "error",
    file: str = "",
    code: str = "",
    help: str = "",
) -> None:
    """Print a line on stderr, by default the message, or put it, with this name and in one line, into the document."""
    if _collected:
        _collected[-1].add_message(name, " ".join(message.split()), severity, file, code, help)
    else:
        to_stderr(f"{'error: ' if severity == 'error' else ''}{message}\n" if line is None else line)


def report_missing_package(command: str, problem: ModuleNotFoundError) -> int:
    """Print how to install the extra that has the name of a command; return the exit code."""
    package, install = (problem.name or command).partition(".")[0], f"pip install 'trainc[{command}]'"
    reason = f"trainc {command} requires the package {package}"
    notify("missing-package", reason, f"error: {reason}: {install}\n", help=install)
    return USAGE
