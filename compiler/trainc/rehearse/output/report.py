"""Verdicts as a report, as JSON, and as JUnit XML: a suite for each job and scenario, a case for each check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.diagnostics.cells import visible
from trainc.diagnostics.formats.junit_xml import Case, Suite, to_xml
from trainc.rehearse.verdict import Check, Verdict
from trainc.report import json
from trainc.report.document import Document, Fact, Facts, Head, Items, Style
from trainc.report.json import fields

# Title and style of each outcome, in the order of the summary.
_OUTCOMES: dict[str, tuple[str, Style]] = {
    "failed": ("FAILED", "bad"),
    "not-run": ("NOT RUN", "bad"),
    "passed": ("passed", "good"),
    "skipped": ("skipped", "soft"),
}


def report(verdicts: list[Verdict]) -> Document:
    """Return all verdicts, what was not simulated, and a summary."""
    parts = [_part(verdict) for verdict in verdicts]
    unsupported = dict.fromkeys(feature for verdict in verdicts for feature in verdict.unsupported)
    if unsupported:
        features = Items(items=tuple(Fact(text=feature) for feature in unsupported))
        parts.append(Document(head=Head(name="not simulated:"), blocks=(features,), is_indented=True))
    return Document(blocks=(*parts, Items(items=tuple(_summary(verdicts)))))


def _part(verdict: Verdict) -> Document:
    title, style = _OUTCOMES[verdict.outcome]
    seconds = f"{verdict.seconds:.1f} s" if verdict.seconds else ""
    name = f"{verdict.job} {verdict.scenario}"
    head = Head(name=name, state=title, style=style, text=seconds, about=verdict.description)
    reason = Items(items=(Fact(text=verdict.reason),) if verdict.reason else ())
    checks = Facts(facts=tuple(map(_check, verdict.checks)))
    notes = Items(items=tuple(Fact(name="note", text=note) for note in verdict.notes))
    return Document(head=head, blocks=(reason, checks, notes), is_indented=True)


def _check(check: Check) -> Fact:
    name = f"{'ok' if check.ok else 'FAIL':<4} {check.at:7.1f} s"
    return Fact(name=name, style="good" if check.ok else "bad", text=check.expectation, details=check.evidence)


def _summary(verdicts: list[Verdict]) -> Iterator[Fact]:
    for job in dict.fromkeys(verdict.job for verdict in verdicts):
        for outcome, (_, style) in _OUTCOMES.items():
            scenarios = [v.scenario for v in verdicts if (v.job, v.outcome) == (job, outcome)]
            if scenarios:
                yield Fact(name=job, text=f"{', '.join(scenarios)} {outcome.replace('-', ' ')}", style=style)


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
