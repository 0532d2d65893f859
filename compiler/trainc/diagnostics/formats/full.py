"""Format `full`, for people: diagnostics with excerpts, and the number of errors."""

from __future__ import annotations

from trainc.diagnostics import text
from trainc.diagnostics.report import Report, count_of


def render(report: Report) -> str:
    """Return diagnostics with excerpts, and a summary of a failed run."""
    diagnostics = text.render(report.printed, report.color)
    for severity, failed, why in (("error", True, ""), ("warning", report.strict, " (errors with --strict)")):
        count = sum(diagnostic.severity == severity for diagnostic in report.diagnostics)
        if count and failed:
            return f"{diagnostics}{count_of(count, severity)}{why}{report.consequence}\n"
    return diagnostics
