"""Status for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from trainc.diagnostics.cells import cells, visible
from trainc.plan.failures import duration
from trainc.plan.quantity import plural
from trainc.status.formats.rows import HEADS, NUMBERS, rows
from trainc.status.status import JobStatus
from trainc.status.times import clock, iso
from trainc.systems.shared.status import Retries

_NODE = len(HEADS) - 1  # the last column, which is cut
_LABEL = 11  # columns of the names of the facts


def text(status: JobStatus, width: int) -> str:
    """Format the whole status in lines of at most `width` columns, which are 80 or more."""
    kind, name = status.owner
    where = f" in {status.namespace}" if status.namespace else ""
    head = f"{status.name}: {status.state}, {status.summary}"
    subject = f"{f'{kind}/{name}' if kind != 'Pod' else 'Pods'}{where}, phase {status.phase}, {iso(status.now)}"
    parts = ["\n".join((*_wrap(head, width, "  "), *_wrap(subject, width, "  ")))]
    parts.append("\n".join(_table(status, width)))
    parts.append("\n".join(_facts(status, width)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _wrap(line: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(visible(line), width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _cells(line: str) -> int:
    return sum(cell for _, cell in cells(line))


def _table(status: JobStatus, width: int) -> Iterator[str]:
    """Yield a line for each row, with its details below."""
    table = rows(status)
    if not table:
        return
    shown = [[visible(cell) for cell in row.cells] for row in table]
    widths = [max(map(_cells, column)) for column in zip(HEADS, *shown, strict=True)]
    widths[_NODE] = max(len(HEADS[_NODE]), min(widths[_NODE], width - sum(widths[:_NODE]) - 2 * _NODE))
    yield _line(HEADS, widths, width)
    yield "─" * min(width, max(sum(widths) + 2 * _NODE, 60))
    for row, own in zip(table, shown, strict=True):
        yield _line(own, widths, width)
        for detail in row.details:
            yield from ("  " + line for line in _wrap(detail, width - 2, "  "))


def _line(row: Sequence[str], widths: Sequence[int], width: int) -> str:
    parts = []
    for part, room, head in zip(row, widths, HEADS, strict=True):
        space = " " * (room - _cells(part))
        parts.append(space + part if head in NUMBERS else part + space)
    line = "  ".join(parts).rstrip()
    return line if _cells(line) <= width else line[: width - 1] + "…"


def _facts(status: JobStatus, width: int) -> Iterator[str]:
    facts: list[tuple[str, str]] = []
    runs = plural(status.world.running, "running worker")
    for each in status.consequences:
        end = f" until {clock(each.until, status.now)}" if each.until else ""
        end += f", then {each.end}" if each.end else ""
        facts.append(("meanwhile", f"{runs}: {each.message}{end}" + (f": {each.reason}" if each.reason else "")))
    if status.deadline:
        left = int((status.deadline - status.now).total_seconds())
        end = f" (in {duration(left)}), then the job fails" if left > 0 else ": it has passed, and the job still runs"
        facts.append(("deadline", clock(status.deadline, status.now) + end))
    if status.retries and status.state not in ("succeeded", "failed"):
        facts.append(("retries", _retries(status.retries)))
    for step in status.steps:
        facts.append(("next", step.message))
        facts += [("", f"$ {step.command}")] if step.command else []
    facts += [("note", note) for note in status.notes]
    before = None
    for name, value in facts:
        lead = "" if name == before else name
        lines = _wrap(value, width - _LABEL) if name else [visible(value)]  # a command is one line, to be copied
        for number, line in enumerate(lines):
            yield f"{lead if number == 0 else '':<{_LABEL}}{line}"
        before = name or before


def _retries(retries: Retries) -> str:
    left = f"{retries.left()} of {retries.fatal - 1} left"
    if retries.per_worker:
        return (
            f"{retries.left()} left for each worker" if not retries.used else f"{left} for the worker that failed most"
        )
    return f"{left} for all workers together ({retries.counted})"
