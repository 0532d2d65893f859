"""JUnit's XML: a suite for each file, a case for each diagnostic; a file without any is one case that passes.

Errors fail. Warnings and notes pass and have their text as the case's output, as JUnit knows nothing between.
"""

from __future__ import annotations

import re
from html import escape

from trainc.diagnostics import text
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.formats.strings import whole
from trainc.diagnostics.report import Report

# What can't stand in XML 1.0, not even as a reference: https://www.w3.org/TR/xml/#charsets, negated
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_BLANKS = {ord(blank): f"&#{ord(blank)};" for blank in "\t\n\r"}


def render(report: Report) -> str:
    """The document. A file is skipped when a wrong option kept it from being looked at."""
    suites: dict[str, list[Diagnostic]] = {name: [] for name in report.files}
    for diagnostic in report.diagnostics:
        suites.setdefault(diagnostic.span.source.name, []).append(diagnostic)
    seen = not any(d.severity == "error" and d.span.source.name not in report.files for d in report.diagnostics)
    body = "".join(_suite(name, found, seen) for name, found in suites.items())
    errors = sum(diagnostic.severity == "error" for diagnostic in report.diagnostics)
    tests = sum(max(len(found), 1) for found in suites.values())
    head = f'<testsuites name="trainc" tests="{tests}" failures="{errors}" errors="0">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}</testsuites>\n'


def _suite(name: str, found: list[Diagnostic], seen: bool) -> str:
    errors = sum(diagnostic.severity == "error" for diagnostic in found)
    cases = "".join(_case(diagnostic) for diagnostic in found)
    skipped = 0 if found or seen else 1
    if not found:
        inside = '<skipped message="not looked at"/>' if skipped else ""
        cases = f'    <testcase name="no errors" classname={_attribute(name)}>{inside}</testcase>\n'
    counts = f'tests="{max(len(found), 1)}" failures="{errors}" errors="0" skipped="{skipped}"'
    return f"  <testsuite name={_attribute(name)} {counts}>\n{cases}  </testsuite>\n"


def _case(diagnostic: Diagnostic) -> str:
    span, code = diagnostic.span, diagnostic.code
    name = _attribute(f"{code.id} {code.name} at {span.line}:{span.column}")
    file = _attribute(span.source.name)
    shown = _content(text.render([diagnostic]).rstrip("\n"))
    if diagnostic.severity == "error":
        inside = (
            f"<failure type={_attribute(code.id)} message={_attribute(visible(diagnostic.message))}>{shown}</failure>"
        )
    else:
        inside = f"<system-out>{shown}</system-out>"
    return f'    <testcase name={name} classname={file} file={file} line="{span.line}">{inside}</testcase>\n'


def _attribute(value: str) -> str:
    # Blanks that aren't written as references are all read as the same one.
    return f'"{escape(_legal(value)).translate(_BLANKS)}"'


def _content(value: str) -> str:
    return escape(_legal(value), quote=False).replace("\r", "&#13;")


def _legal(value: str) -> str:
    """With an escape for every character that would make the document no XML."""
    return _ILLEGAL.sub(lambda found: f"\\u{ord(found[0]):04x}", whole(value))
