"""Verdicts as text: each expectation, when its result was clear, and its evidence."""

from __future__ import annotations

import textwrap

from trainc.diagnostics.cells import visible
from trainc.rehearse.output.colors import Colors
from trainc.rehearse.verdict import Check, Verdict

_OUTCOMES = {"passed": "passed", "failed": "FAILED", "skipped": "skipped", "not-run": "NOT RUN"}


def text(verdicts: list[Verdict], width: int, colors: Colors) -> str:
    """Return all verdicts in lines of at most `width` columns."""
    parts = [_verdict(verdict, width, colors) for verdict in verdicts]
    unsupported = dict.fromkeys(feature for verdict in verdicts for feature in verdict.unsupported)
    if unsupported:
        lines = [line for feature in unsupported for line in _wrap(feature, width, "  ", "    ")]
        parts.append("\n".join(["not simulated:", *lines]))
    parts.append("\n".join(_summary(verdicts, width, colors)))
    return "\n\n".join(parts) + "\n"


def _verdict(verdict: Verdict, width: int, colors: Colors) -> str:
    color = {"passed": colors.good, "failed": colors.bad, "not-run": colors.bad}.get(verdict.outcome, colors.faint)
    seconds = f", {verdict.seconds:.1f} s" if verdict.seconds else ""
    title = f"{colors.strong(f'{verdict.job} {verdict.scenario}')}: {color(_OUTCOMES[verdict.outcome])}{seconds}"
    lines = [title, *(colors.faint(line) for line in _wrap(verdict.description, width, "  "))]
    if verdict.reason:
        lines += _wrap(verdict.reason, width, "  ")
    for check in verdict.checks:
        lines += _check(check, width, colors)
    for note in verdict.notes:
        lines += _wrap(f"note: {note}", width, "  ", "        ")
    return "\n".join(lines)


def _check(check: Check, width: int, colors: Colors) -> list[str]:
    first, *rest = _wrap(check.expectation, width - 17, "")
    result = colors.good("ok  ") if check.ok else colors.bad("FAIL")
    lines = [f"  {result} {check.at:7.1f} s  {first}", *(f"{' ' * 17}{line}" for line in rest)]
    for line in check.evidence:
        parts = _wrap(line, width, " " * 19, " " * 21)
        lines += [colors.faint(part) if check.ok else part for part in parts]
    return lines


def _summary(verdicts: list[Verdict], width: int, colors: Colors) -> list[str]:
    lines = []
    for job in dict.fromkeys(verdict.job for verdict in verdicts):
        for outcome, color in (
            ("failed", colors.bad),
            ("not-run", colors.bad),
            ("passed", colors.good),
            ("skipped", colors.faint),
        ):
            scenarios = [v.scenario for v in verdicts if (v.job, v.outcome) == (job, outcome)]
            if scenarios:
                line = f"{job}: {', '.join(scenarios)} {outcome.replace('-', ' ')}"
                lines += [color(part) for part in _wrap(line, width, "", "  ")]
    return lines


def _wrap(line: str, width: int, first: str, rest: str | None = None) -> list[str]:
    return textwrap.wrap(
        visible(line),
        width,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_on_hyphens=False,
    ) or [""]
