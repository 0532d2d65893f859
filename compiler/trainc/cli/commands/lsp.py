"""`trainc lsp`."""

from __future__ import annotations

from functools import partial

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.notices import report_missing_package
from trainc.cli.parameters import InvalidConfiguration, flag
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.project.projects import Projects


def command(
    stdio: bool = flag("--stdio", help="Use standard input and output, which is the default."),
    checks: bool = flag("--checks", help="Run the checks of the project file, which are code."),
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Serve editors: diagnostics, completion, formatting (LSP).

    Language Server Protocol on standard input and output. An editor starts the server itself: docs/editors.md.
    """
    try:
        from trainc.lsp.server import create_server
    except ModuleNotFoundError as problem:
        return report_missing_package("lsp", problem)
    server = create_server(partial(_projects, runs_checks=checks))
    server.start_io()
    return OK if server.is_shut_down else WRONG_INPUT  # as the protocol says for an exit without shutdown


def _projects(name: str, runs_checks: bool) -> Projects | None:
    """Return the projects of a file. Raises Rejected for an invalid project file."""
    from trainc.cli.compilation import Configuration
    from trainc.diagnostics.diagnostic import Rejected

    try:
        return Configuration(runs_checks=runs_checks).projects([name])
    except InvalidConfiguration as problem:
        raise Rejected(*problem.diagnostics) from None
