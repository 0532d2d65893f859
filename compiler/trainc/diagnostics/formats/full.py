"""Format `full`, for people: diagnostics with excerpts, and their number."""

from __future__ import annotations

from trainc.diagnostics import text
from trainc.diagnostics.report import Report, closing_lines


def render(report: Report) -> str:
    """Return diagnostics with excerpts, and the closing lines."""
    return text.render(report.printed, report.color) + closing_lines(report)
