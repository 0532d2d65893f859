"""`trainc lsp`."""

from __future__ import annotations

from functools import partial

from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.notices import report_missing_package
from trainc.cli.options import MESSAGE_FORMAT
from trainc.cli.parameters import InvalidConfiguration, flag
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages
    from trainc.project.projects import Projects


class Options(Record):
    """Serve editors: diagnostics, completion, formatting (LSP).

    Language Server Protocol on standard input and output. An editor starts the server itself: docs/editors.md.
    """

    stdio: bool = flag("--stdio", help="Use standard input and output, which is the default.")
    checks: bool = flag("--checks", help="Run the checks of the project file, which are code.")
    messages: Messages = MESSAGE_FORMAT


def serve(options: Options) -> int:
    """Serve an editor until it ends the connection, with the project files that the command line finds."""
    try:
        from trainc.lsp.server import create_server
    except ModuleNotFoundError as problem:
        return report_missing_package("lsp", problem)
    server = create_server(partial(_projects, runs_checks=options.checks))
    server.start_io()
    return OK if server.is_shut_down else WRONG_INPUT  # as the protocol says for an exit without shutdown


def _projects(name: str, runs_checks: bool) -> Projects | None:
    """Return the projects of a file. Raises Rejected for an invalid project file."""
    from trainc.cli.settings import Configuration
    from trainc.diagnostics.diagnostic import Rejected

    try:
        return Configuration(runs_checks=runs_checks).projects([name])
    except InvalidConfiguration as problem:
        raise Rejected(*problem.diagnostics) from None
