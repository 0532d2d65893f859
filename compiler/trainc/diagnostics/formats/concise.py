"""Format `concise`: a line for each diagnostic, as compilers write and editors read it.

Vim's errorformat is `%f:%l:%c: %m`. Warnings and notes are marked at the end of the line.
"""

from __future__ import annotations

from trainc.diagnostics.cells import visible
from trainc.diagnostics.report import Report


def render(report: Report) -> str:
    """Return lines of `file:line:column: CODE message`, with ` [warning]` or ` [note]`."""
    lines = []
    for diagnostic in report.printed:
        severity = "" if diagnostic.severity == "error" else f" [{diagnostic.severity}]"
        lines.append(visible(f"{diagnostic.span}: {diagnostic.code.id} {diagnostic.message}{severity}") + "\n")
    return "".join(lines)
