"""`trainc lsp`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.notices import report_missing_package
from trainc.cli.parameters import flag
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


def command(
    stdio: bool = flag("--stdio", help="Use standard input and output, which is the default."),
    checks: bool = flag("--checks", help="Run the checks of the project file, which are code."),
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Serve editors: diagnostics, completion, formatting (LSP).

    Language Server Protocol on standard input and output. An editor starts the server itself: docs/editors.md.
    """
    try:
        from trainc.cli.commands.lsp.editor_server import serve
    except ModuleNotFoundError as problem:
        return report_missing_package("lsp", problem)
    return OK if serve(checks) else WRONG_INPUT  # as the protocol says for an exit without shutdown
