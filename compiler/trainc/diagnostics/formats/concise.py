"""Format `concise`: a line for each diagnostic, as compilers write and editors read it, and their number.

Vim's errorformat is `%f:%l:%c: %m`. Warnings and notes are marked after the message.
"""

from __future__ import annotations

from trainc.diagnostics.cells import visible
from trainc.diagnostics.report import Report, closing_lines


def render(report: Report) -> str:
    """Return lines of `file:line:column: CODE message [severity]; help: help`, errors without severity."""
    lines = []
    for diagnostic in report.printed:
        severity = "" if diagnostic.severity == "error" else f" [{diagnostic.severity}]"
        help_ = f"; help: {diagnostic.help}" if diagnostic.help else ""
        lines.append(visible(f"{diagnostic.span}: {diagnostic.code.id} {diagnostic.message}{severity}{help_}") + "\n")
    return "".join(lines) + closing_lines(report)
