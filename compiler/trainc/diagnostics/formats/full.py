"""For people: every diagnostic with its lines, and how many errors there were."""

from __future__ import annotations

from trainc.diagnostics import text
from trainc.diagnostics.report import Report


def render(report: Report) -> str:
    """Diagnostics with excerpts, in colour when the report says so; a line closes them when the run has failed."""
    return text.render(report.diagnostics, report.colour) + _closing(report)


def _closing(report: Report) -> str:
    for severity, failed, why in (("error", True, ""), ("warning", report.strict, ", which --strict takes for errors")):
        count = sum(diagnostic.severity == severity for diagnostic in report.diagnostics)
        if count and failed:
            return f"{count} {severity}{'s' if count > 1 else ''}{why}{report.consequence}\n"
    return ""
