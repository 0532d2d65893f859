"""Status for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from trainc.diagnostics.cells import cells, visible
from trainc.status.formats.facts import facts, subject
from trainc.status.formats.rows import HEADS, NUMBERS, rows
from trainc.status.status import JobStatus
from trainc.status.times import iso

_NODE = len(HEADS) - 1  # the last column, which is cut
_LABEL = 11  # columns of the names of the facts


def text(status: JobStatus, width: int) -> str:
    """Format the whole status in lines of at most `width` columns, which are 80 or more."""
    head = f"{status.name}: {status.state}, {status.summary}"
    parts = ["\n".join((*_wrap(head, width, "  "), *_wrap(f"{subject(status)}, {iso(status.now)}", width, "  ")))]
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
    before = ""
    for fact in facts(status):
        lines = _wrap(fact.text, width - _LABEL)
        if fact.command:
            lines.append(f"$ {visible(fact.command)}")  # on one line, to be copied
        for number, line in enumerate(lines):
            yield f"{fact.name if number == 0 and fact.name != before else '':<{_LABEL}}{line}"
        before = fact.name
