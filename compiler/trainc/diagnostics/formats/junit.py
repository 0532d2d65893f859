"""JUnit's XML: a suite for each file, a case for each diagnostic; a file without any is one case that passes.

Errors fail. Warnings and notes pass, with their text as the case's output: JUnit has nothing between.
"""

from __future__ import annotations

from trainc.diagnostics import text
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.formats.junit_xml import Case, Suite, to_xml
from trainc.diagnostics.report import Report


def render(report: Report) -> str:
    """Return the document. A file is skipped when an invalid option kept it from being compiled.

    It is skipped, too, if all of its diagnostics are beyond the limit.
    """
    files: dict[str, list[Case]] = {name: [] for name in report.files}
    for diagnostic in report.printed:
        files.setdefault(diagnostic.span.source.name, []).append(_case(diagnostic))
    not_compiled = any(d.severity == "error" and d.span.source.name not in report.files for d in report.printed)
    reasons = {d.span.source.name: "not printed" for d in report.diagnostics}
    suites = []
    for name, cases in files.items():
        reason = "not compiled" if not_compiled else reasons.get(name, "")
        passed = Case(name="no errors", group=name, problem="skipped" if reason else "", message=reason)
        suites.append(Suite(name=name, cases=cases or [passed]))
    return to_xml("trainc", suites)


def _case(diagnostic: Diagnostic) -> Case:
    span, code = diagnostic.span, diagnostic.code
    cluster = f" on cluster {diagnostic.cluster}" if diagnostic.cluster else ""
    case = Case(
        name=f"{code.id} {code.name} at {span.line}:{span.column}{cluster}",
        group=span.source.name,
        text=text.render([diagnostic]).rstrip("\n"),
        place=(span.source.name, span.line),
    )
    if diagnostic.severity != "error":
        return case
    return case.replace(problem="failure", kind=code.id, message=visible(diagnostic.message))
