"""Verdicts as JSON, and as JUnit XML: a suite for each job and scenario, a case for each check."""

from __future__ import annotations

from typing import Any

from trainc.diagnostics.cells import visible
from trainc.diagnostics.formats.junit_xml import Case, Suite, to_xml
from trainc.rehearse.verdict import Check, Verdict
from trainc.report import json
from trainc.report.json import fields


def to_json(verdicts: list[Verdict]) -> str:
    """Return a JSON list with an object for each verdict."""
    return json.to_json([_object(verdict) for verdict in verdicts])


def _object(verdict: Verdict) -> dict[str, Any]:
    return {
        **fields(verdict, "job", "scenario", "description", "outcome", "reason?", "seconds"),
        "checks": [
            {
                "expectation": check.expectation,
                "passed": check.ok,
                "at": check.at,
                "evidence": [visible(line) for line in check.evidence],
            }
            for check in verdict.checks
        ],
        **fields(verdict, "notes", "unsupported"),
    }


def to_junit(verdicts: list[Verdict]) -> str:
    """Return JUnit XML: a suite for each job and scenario; a scenario that could not run is an error."""
    return to_xml("trainc rehearse", [_suite(verdict) for verdict in verdicts])


def _suite(verdict: Verdict) -> Suite:
    name = visible(f"{verdict.job} {verdict.scenario}")
    cases = [_case(check, name) for check in verdict.checks]
    if not cases:
        problem = "skipped" if verdict.outcome == "skipped" else "error"
        cases = [Case(name=visible(verdict.description), group=name, problem=problem, message=visible(verdict.reason))]
    return Suite(name=name, cases=cases, seconds=verdict.seconds)


def _case(check: Check, suite: str) -> Case:
    name, evidence = visible(check.expectation), "\n".join(check.evidence)
    if check.ok:
        return Case(name=name, group=suite, text=evidence)
    return Case(name=name, group=suite, problem="failure", message=name, text=evidence)
