"""Writer of JUnit's XML."""

from __future__ import annotations

import re
from html import escape

from trainc.diagnostics.formats.strings import replace_surrogates
from trainc.record import Record

# Characters that XML 1.0 forbids, even as references: https://www.w3.org/TR/xml/#charsets, negated
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WHITESPACE = {ord(character): f"&#{ord(character)};" for character in "\t\n\r"}


class Case(Record):
    """Test case. `problem` is the element that keeps it from passing: failure, error or skipped.

    `place` is a file with a line; `text` is the problem's, or the output of a case that passes.
    """

    name: str
    group: str
    problem: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""
    place: tuple[str, int] | None = None


class Suite(Record):
    """Suite of test cases."""

    name: str
    cases: list[Case]
    seconds: float | None = None


def to_xml(name: str, suites: list[Suite]) -> str:
    """Return the document."""
    cases = [case for suite in suites for case in suite.cases]
    head = f"<testsuites name={_attribute(name)} {_counts(cases)}>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{"".join(map(_suite, suites))}</testsuites>\n'


def _suite(suite: Suite) -> str:
    counts = f'{_counts(suite.cases)} skipped="{_count(suite.cases, "skipped")}"'
    time = "" if suite.seconds is None else f' time="{suite.seconds:.1f}"'
    cases = "".join(map(_case, suite.cases))
    return f"  <testsuite name={_attribute(suite.name)} {counts}{time}>\n{cases}  </testsuite>\n"


def _counts(cases: list[Case]) -> str:
    return f'tests="{len(cases)}" failures="{_count(cases, "failure")}" errors="{_count(cases, "error")}"'


def _count(cases: list[Case], problem: str) -> int:
    return sum(case.problem == problem for case in cases)


def _case(case: Case) -> str:
    text, inside = escape(_legal(case.text), quote=False).replace("\r", "&#13;"), ""
    if case.problem:
        kind = f" type={_attribute(case.kind)}" if case.kind else ""
        head = f"{case.problem}{kind} message={_attribute(case.message)}"
        inside = f"<{head}>{text}</{case.problem}>" if text or case.problem == "failure" else f"<{head}/>"
    elif text:
        inside = f"<system-out>{text}</system-out>"
    place = f' file={_attribute(case.place[0])} line="{case.place[1]}"' if case.place else ""
    return f"    <testcase name={_attribute(case.name)} classname={_attribute(case.group)}{place}>{inside}</testcase>\n"


def _attribute(value: str) -> str:
    # A reader normalizes whitespace in attributes, unless they are references.
    return f'"{escape(_legal(value)).translate(_WHITESPACE)}"'


def _legal(value: str) -> str:
    """Escape characters that XML doesn't allow."""
    return _ILLEGAL.sub(lambda character: f"\\u{ord(character[0]):04x}", replace_surrogates(value))
