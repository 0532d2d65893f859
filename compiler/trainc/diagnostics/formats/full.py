"""For people: every diagnostic with its lines, and how many errors there were."""

from __future__ import annotations

from trainc.diagnostics import text
from trainc.diagnostics.report import Report


def render(report: Report) -> str:
    """Diagnostics with excerpts, in colour when the report says so; one line closes them if there was an error."""
    errors = sum(diagnostic.severity == "error" for diagnostic in report.diagnostics)
    closing = f"{errors} error{'s' if errors > 1 else ''}{report.consequence}\n" if errors else ""
    return text.render(report.diagnostics, report.colour) + closing
