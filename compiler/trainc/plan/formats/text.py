"""Plan for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from trainc.diagnostics.cells import cells, visible
from trainc.plan.formats import tables
from trainc.plan.formats.summary import headline, summary
from trainc.plan.plan import Plan


def text(plan: Plan, width: int) -> str:
    """Format the whole plan in lines of at most `width` columns, which are 80 or more."""
    parts = [_paragraph(headline(plan), width)]
    parts.append("\n".join(_paragraph(f"! {each.where}: {each.sentence}", width, "  ") for each in plan.findings))
    if plan.workers:
        parts.append(_table(*tables.pods(plan), width=width))
        parts.append("\n".join(_paragraph(note, width) for note in tables.notes(plan)))
    parts.append(_summary(summary(plan), width))
    if plan.world_sizes:
        parts.append(_table(*tables.world_sizes(plan), width=width))
    if plan.failure_cases:
        parts.append(_failure_cases(*tables.failure_cases(plan), width=width))
    return "\n\n".join(part for part in parts if part) + "\n"


def _cells(line: str) -> int:
    return sum(cell for _, cell in cells(line))


def _paragraph(line: str, width: int, indent: str = "") -> str:
    return "\n".join(_wrap(line, width, indent)) if line else ""


def _wrap(line: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(visible(line), width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _lines(row: Sequence[list[str]], widths: Sequence[int], heads: Sequence[str] = ("", "")) -> Iterator[str]:
    """Yield the lines of a row of wrapped cells; numbers are aligned to the right."""
    for parts in zip_longest(*row, fillvalue=""):
        padded = []
        for part, width, head in zip(parts, widths, heads, strict=True):
            space = " " * (width - _cells(part))
            padded.append(space + part if head in tables.NUMBERS else part + space)
        yield "  ".join(padded).rstrip()


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Format columns as wide as they need; the first two are wrapped, between words if that is enough."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(_cells(cell) for cell in column) for column in zip(heads, *shown, strict=True)]
    words = [max(_cells(word) for row in shown for word in row[column].split(" ")) for column in (0, 1)]
    for column, least in ((1, words[1]), (0, words[0]), (1, 12), (0, 12)):
        excess = sum(widths) + 2 * (len(widths) - 1) - width
        if excess > 0:
            widths[column] = max(least, widths[column] - excess)
    first, *lines = (line for row in (heads, *shown) for line in _lines(list(map(_wrap, row, widths)), widths, heads))
    rule = "─" * min(width, sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([first, rule, *lines])


def _summary(rows: Sequence[tuple[str, str]], width: int) -> str:
    left = max((_cells(name) for name, _ in rows), default=0)
    wrapped = (([name], _wrap(value, width - left - 2)) for name, value in rows)
    return "\n".join(line for row in wrapped for line in _lines(row, (left, 0)))


def _failure_cases(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    left = min(max(_cells(trigger) for trigger, _ in rows), width * 2 // 5)
    wrapped = ((_wrap(trigger, left, "  "), _wrap(effect, width - left - 2)) for trigger, effect in rows)
    lines = (line for row in wrapped for line in _lines(row, (left, 0)))
    return "\n".join([f"{heads[0]:<{left}}  {heads[1]}", "─" * width, *lines])
