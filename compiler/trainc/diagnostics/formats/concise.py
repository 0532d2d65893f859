"""A line for each diagnostic, as compilers write it and editors and grep read it.

Vim's errorformat is `%f:%l:%c: %m`. What is no error says so at the end, where it is no part of the place.
"""

from __future__ import annotations

from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.report import Report


def render(report: Report) -> str:
    """`file:line:column: CODE message`, and ` [warning]` or ` [note]`."""
    return "".join(f"{_one(diagnostic)}\n" for diagnostic in report.diagnostics)


def _one(diagnostic: Diagnostic) -> str:
    severity = "" if diagnostic.severity == "error" else f" [{diagnostic.severity}]"
    return visible(f"{diagnostic.span}: {diagnostic.code.id} {diagnostic.message}{severity}")
