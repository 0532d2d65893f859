"""Verdicts for people: each check, when it was clear, and the lines that prove it."""

from __future__ import annotations

import textwrap

from trainc.diagnostics.cells import visible
from trainc.rehearse.output.colors import Paint
from trainc.rehearse.verdict import Check, Verdict

_WORDS = {"passed": "as planned", "failed": "DIFFERS", "skipped": "doesn't fit", "not-run": "NOT RUN"}


def text(verdicts: list[Verdict], width: int, paint: Paint) -> str:
    """All verdicts in lines of at most `width` columns."""
    parts = [_one(verdict, width, paint) for verdict in verdicts]
    missing = list(dict.fromkeys(one for verdict in verdicts for one in verdict.unsupported))
    if missing:
        parts.append(
            "\n".join(["not imitated:", *(line for one in missing for line in _wrap(one, width, "  ", "    "))])
        )
    parts.append("\n".join(_sums(verdicts, width, paint)))
    return "\n\n".join(parts) + "\n"


def _one(verdict: Verdict, width: int, paint: Paint) -> str:
    colour = {"passed": paint.good, "failed": paint.bad, "not-run": paint.bad}.get(verdict.outcome, paint.faint)
    took = f", {verdict.seconds:.1f} s" if verdict.seconds else ""
    head = f"{paint.strong(f'{verdict.job} {verdict.scenario}')}: {colour(_WORDS[verdict.outcome])}{took}"
    lines = [head, *(paint.faint(line) for line in _wrap(verdict.description, width, "  "))]
    if verdict.reason:
        lines += _wrap(verdict.reason, width, "  ")
    for check in verdict.checks:
        lines += _check(check, width, paint)
    for note in verdict.notes:
        lines += _wrap(f"note: {note}", width, "  ", "        ")
    return "\n".join(lines)


def _check(check: Check, width: int, paint: Paint) -> list[str]:
    first, *more = _wrap(check.expectation, width - 16, "")
    word = paint.good("yes") if check.ok else paint.bad("NO ")
    lines = [f"  {word} {check.at:7.1f} s  {first}", *(f"{' ' * 16}{line}" for line in more)]
    for line in check.evidence:
        parts = _wrap(line, width, " " * 18, " " * 20)
        lines += [paint.faint(part) if check.ok else part for part in parts]
    return lines


def _sums(verdicts: list[Verdict], width: int, paint: Paint) -> list[str]:
    lines = []
    for job in dict.fromkeys(one.job for one in verdicts):
        mine = [one for one in verdicts if one.job == job]
        for outcome, one, many, colour in (
            ("failed", "differs from the plan", "differ from the plan", paint.bad),
            ("not-run", "was not run", "were not run", paint.bad),
            ("passed", "as planned", "as planned", paint.good),
            ("skipped", "doesn't fit", "don't fit", paint.faint),
        ):
            of = [verdict.scenario for verdict in mine if verdict.outcome == outcome]
            if of:
                said = f"{job}: {', '.join(of)} {one if len(of) == 1 else many}"
                lines += [colour(line) for line in _wrap(said, width, "", "  ")]
    return lines


def _wrap(line: str, width: int, first: str, more: str | None = None) -> list[str]:
    after = first if more is None else more
    shown = visible(line)
    return textwrap.wrap(shown, width, initial_indent=first, subsequent_indent=after, break_on_hyphens=False) or [""]
