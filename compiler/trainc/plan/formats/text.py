"""Plan for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from trainc.diagnostics.cells import cells, visible
from trainc.plan.formats import tables
from trainc.plan.formats.summary import headline, summary
from trainc.plan.plan import Plan


def text(plan: Plan, width: int) -> str:
    """Format the whole plan in lines of at most `width` columns, which are 80 or more."""
    parts = [_paragraph(headline(plan), width)]
    parts.append("\n".join(_paragraph(f"! {each.where}: {each.message}", width, "  ") for each in plan.findings))
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


def _pad(line: str, width: int, right: bool = False) -> str:
    space = " " * max(0, width - _cells(line))
    return space + line if right else line + space


def _paragraph(line: str, width: int, indent: str = "") -> str:
    shown = visible(line)
    return "\n".join(_wrap(shown, width, indent)) if shown else ""


def _wrap(line: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Format columns as wide as they need; the first two are wrapped, between words if that is enough."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(_cells(cell) for cell in column) for column in zip(heads, *shown, strict=True)]
    words = [max(_cells(word) for row in shown for word in row[column].split(" ")) for column in (0, 1)]
    for column, least in ((1, words[1]), (0, words[0]), (1, 12), (0, 12)):
        excess = sum(widths) + 2 * (len(widths) - 1) - width
        if excess > 0:
            widths[column] = max(least, widths[column] - excess)
    lines = []
    for row in (list(heads), *shown):
        split = [_wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
        for line in range(max(len(cell) for cell in split)):
            parts = [
                _pad(cell[line] if line < len(cell) else "", size, head in tables.NUMBERS)
                for cell, size, head in zip(split, widths, heads, strict=True)
            ]
            lines.append("  ".join(parts).rstrip())
    rule = "─" * min(width, sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([lines[0], rule, *lines[1:]])


def _summary(rows: Sequence[tuple[str, str]], width: int) -> str:
    left = max((_cells(name) for name, _ in rows), default=0)
    lines = []
    for name, value in rows:
        for number, part in enumerate(_wrap(visible(value), width - left - 2)):
            lines.append(_pad("" if number else name, left) + "  " + part)
    return "\n".join(line.rstrip() for line in lines)


def _failure_cases(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    left = min(max(_cells(trigger) for trigger, _ in rows), width * 2 // 5)
    lines = [f"{_pad(heads[0], left)}  {heads[1]}", "─" * width]
    for trigger, effect in rows:
        split = _wrap(visible(trigger), left, "  "), _wrap(visible(effect), width - left - 2)
        for number in range(max(len(part) for part in split)):
            parts = [part[number] if number < len(part) else "" for part in split]
            lines.append((_pad(parts[0], left) + "  " + parts[1]).rstrip())
    return "\n".join(lines)
