"""Server of `trainc lsp`, with the project files that the command line finds."""

from __future__ import annotations

from functools import partial

from trainc.cli.parameters import InvalidConfiguration
from trainc.cli.settings import Configuration
from trainc.diagnostics.diagnostic import Rejected
from trainc.lsp.server import create_server
from trainc.project.projects import Projects


def serve(runs_checks: bool) -> bool:
    """Serve an editor until it ends the connection; return whether it sent `shutdown` first."""
    server = create_server(partial(_projects, runs_checks=runs_checks))
    server.start_io()
    return server.is_shut_down


def _projects(name: str, runs_checks: bool) -> Projects | None:
    """Return the projects of a file. Raises Rejected for an invalid project file."""
    try:
        return Configuration(runs_checks=runs_checks).projects([name])
    except InvalidConfiguration as problem:
        raise Rejected(*problem.diagnostics) from None
