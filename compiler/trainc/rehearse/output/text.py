"""Verdicts as text: each expectation, when its result was clear, and its evidence."""

from __future__ import annotations

import textwrap
from typing import Literal

from trainc.diagnostics.cells import visible
from trainc.record import Record
from trainc.rehearse.verdict import Check, Verdict

Style = Literal["good", "bad", "faint", "strong"]
_CODES = {"good": "32", "bad": "1;31", "faint": "2", "strong": "1"}
# Title and style of each outcome, in the order of the summary.
_OUTCOMES: dict[str, tuple[str, Style]] = {
    "failed": ("FAILED", "bad"),
    "not-run": ("NOT RUN", "bad"),
    "passed": ("passed", "good"),
    "skipped": ("skipped", "faint"),
}


class Colors(Record):
    """Terminal colors; if `enabled` is false, texts stay plain."""

    enabled: bool = False

    def paint(self, text: str, style: Style) -> str:
        """Return the text with the codes of a style around it."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.enabled and text else text


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
    seconds = f", {verdict.seconds:.1f} s" if verdict.seconds else ""
    name = colors.paint(f"{verdict.job} {verdict.scenario}", "strong")
    lines = [f"{name}: {colors.paint(*_OUTCOMES[verdict.outcome])}{seconds}"]
    lines += [colors.paint(line, "faint") for line in _wrap(verdict.description, width, "  ")]
    if verdict.reason:
        lines += _wrap(verdict.reason, width, "  ")
    for check in verdict.checks:
        lines += _check(check, width, colors)
    for note in verdict.notes:
        lines += _wrap(f"note: {note}", width, "  ", "        ")
    return "\n".join(lines)


def _check(check: Check, width: int, colors: Colors) -> list[str]:
    first, *rest = _wrap(check.expectation, width - 17, "")
    result = colors.paint("ok  ", "good") if check.ok else colors.paint("FAIL", "bad")
    lines = [f"  {result} {check.at:7.1f} s  {first}", *(f"{' ' * 17}{line}" for line in rest)]
    for line in check.evidence:
        parts = _wrap(line, width, " " * 19, " " * 21)
        lines += [colors.paint(part, "faint") if check.ok else part for part in parts]
    return lines


def _summary(verdicts: list[Verdict], width: int, colors: Colors) -> list[str]:
    lines = []
    for job in dict.fromkeys(verdict.job for verdict in verdicts):
        for outcome, (_, style) in _OUTCOMES.items():
            scenarios = [v.scenario for v in verdicts if (v.job, v.outcome) == (job, outcome)]
            if scenarios:
                line = f"{job}: {', '.join(scenarios)} {outcome.replace('-', ' ')}"
                lines += [colors.paint(part, style) for part in _wrap(line, width, "", "  ")]
    return lines


def _wrap(line: str, width: int, first: str, rest: str | None = None) -> list[str]:
    return textwrap.wrap(
        visible(line),
        width,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_on_hyphens=False,
    ) or [""]
