"""`trainc mcp`."""

from __future__ import annotations

import os

from trainc.cli.exit_codes import OK, USAGE
from trainc.cli.notices import notify, report_missing_package
from trainc.cli.options import MESSAGE_FORMAT
from trainc.cli.parameters import option
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


class Options(Record):
    """Serve check, compile, plan and others to agents (MCP).

    Model Context Protocol on standard input and output. The tools read what they are given, and files below --root.
    """

    root: list[str] | None = option(
        None, "--root", metavar="DIR", help="Directory whose files the tools may read. Repeatable.", is_list=True
    )
    messages: Messages = MESSAGE_FORMAT


def serve(options: Options) -> int:
    """Serve an agent until it ends the connection; return the exit code."""
    try:
        from trainc.mcp.server import create_server
    except ModuleNotFoundError as problem:
        return report_missing_package("mcp", problem)
    roots = options.root or []
    missing = next((each for each in roots if not os.path.isdir(each)), None)
    if missing is not None:
        notify("no-directory", f"no directory {missing}", f"error: --root: no directory {missing}\n")
        return USAGE
    create_server(roots).run()
    return OK
