"""Verdicts for programs: JSON, and JUnit's XML with a suite for each job and scenario and a case for each check."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

from trainc.diagnostics.cells import visible
from trainc.rehearse.verdict import Check, Verdict

# What can't stand in XML 1.0, not even as a reference: https://www.w3.org/TR/xml/#charsets, negated
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_json(verdicts: list[Verdict]) -> str:
    """A list of objects."""
    return json.dumps([_object(one) for one in verdicts], indent=2, ensure_ascii=False) + "\n"


def _object(one: Verdict) -> dict[str, Any]:
    return {
        "job": one.job,
        "scenario": one.scenario,
        "description": one.description,
        "outcome": one.outcome,
        "reason": one.reason or None,
        "seconds": one.seconds,
        "checks": [
            {
                "expectation": check.expectation,
                "passed": check.ok,
                "at": check.at,
                "evidence": [visible(line) for line in check.evidence],
            }
            for check in one.checks
        ],
        "notes": list(one.notes),
        "unsupported": list(one.unsupported),
    }


def to_junit(verdicts: list[Verdict]) -> str:
    """What doesn't fit a job is skipped, what could not be run is an error."""
    suites = "".join(map(_suite, verdicts))
    cases = [check for one in verdicts for check in one.checks]
    bare = sum(not one.checks for one in verdicts)
    failures = sum(not check.ok for check in cases)
    errors = sum(one.outcome == "not-run" for one in verdicts)
    counts = f'tests="{len(cases) + bare}" failures="{failures}" errors="{errors}"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="trainc rehearse" {counts}>\n{suites}</testsuites>\n'
    )


def _suite(one: Verdict) -> str:
    name = f"{one.job} {one.scenario}"
    cases = "".join(_case(check, name) for check in one.checks)
    skipped = one.outcome == "skipped"
    if not one.checks:
        inside = (
            f"<skipped message={_attribute(one.reason)}/>" if skipped else f"<error message={_attribute(one.reason)}/>"
        )
        cases = f"    <testcase name={_attribute(one.description)} classname={_attribute(name)}>{inside}</testcase>\n"
    failures = sum(not check.ok for check in one.checks)
    counts = f'tests="{max(len(one.checks), 1)}" failures="{failures}" errors="{int(one.outcome == "not-run")}"'
    head = f'  <testsuite name={_attribute(name)} {counts} skipped="{int(skipped)}" time="{one.seconds:.1f}">'
    return f"{head}\n{cases}  </testsuite>\n"


def _case(check: Check, suite: str) -> str:
    lines = _content("\n".join(check.evidence))
    inside = f"<system-out>{lines}</system-out>" if lines else ""
    if not check.ok:
        inside = f"<failure message={_attribute(check.expectation)}>{lines}</failure>"
    return f"    <testcase name={_attribute(check.expectation)} classname={_attribute(suite)}>{inside}</testcase>\n"


def _attribute(value: str) -> str:
    return f'"{escape(_legal(visible(value)))}"'


def _content(value: str) -> str:
    return escape(_legal(value), quote=False).replace("\r", "&#13;")


def _legal(value: str) -> str:
    return _ILLEGAL.sub(lambda found: f"\\u{ord(found[0]):04x}", value.encode("utf-8", "backslashreplace").decode())
