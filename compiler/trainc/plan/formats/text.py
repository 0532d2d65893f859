"""A plan for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from trainc.diagnostics.cells import cells, visible
from trainc.plan.formats import summary, tables
from trainc.plan.plan import Plan


def text(plan: Plan, width: int) -> str:
    """The whole plan in lines of at most `width` columns, which are 80 or more."""
    parts = [_paragraph(summary.headline(plan), width)]
    if plan.findings:
        found = [f"! {one.where}: {one.message}" for one in plan.findings]
        parts.append("\n".join(_paragraph(line, width, "  ") for line in found))
    if plan.workers:
        parts.append(_table(*tables.pods(plan), width=width))
        parts += ["\n".join(_paragraph(note, width) for note in tables.notes(plan))]
        parts.append(_pairs(summary.summary(plan), width))
        parts.append(_table(*tables.sizes(plan), width=width))
    else:
        parts.append(_pairs(summary.summary(plan), width))
    if plan.failure_cases:
        parts.append(_cases([(one.trigger, one.effect) for one in plan.failure_cases], width))
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
    """Columns as wide as they need; the first two give way, between words if that is enough."""
    shown = [[visible(cell) for cell in row] for row in rows]
    wide = [max(_cells(cell) for cell in column) for column in zip(heads, *shown, strict=True)]
    words = [max(_cells(word) for row in shown for word in row[column].split() or [""]) for column in (0, 1)]
    for column, least in ((1, words[1]), (0, words[0]), (1, 12), (0, 12)):
        over = sum(wide) + 2 * (len(wide) - 1) - width
        if over > 0:
            wide[column] = max(least, wide[column] - over)
    lines = []
    for row in (list(heads), *shown):
        split = [_wrap(cell, size) for cell, size in zip(row, wide, strict=True)]
        for line in range(max(len(cell) for cell in split)):
            parts = [
                _pad(cell[line] if line < len(cell) else "", size, head in tables.NUMBERS)
                for cell, size, head in zip(split, wide, heads, strict=True)
            ]
            lines.append("  ".join(parts).rstrip())
    first = 1
    return "\n".join([*lines[:first], "─" * min(width, sum(wide) + 2 * (len(wide) - 1)), *lines[first:]])


def _pairs(pairs: Sequence[tuple[str, str]], width: int) -> str:
    left = max((_cells(name) for name, _ in pairs), default=0)
    lines = []
    for name, value in pairs:
        for number, part in enumerate(_wrap(visible(value), width - left - 2)):
            lines.append(_pad("" if number else name, left) + "  " + part)
    return "\n".join(line.rstrip() for line in lines)


def _cases(pairs: Sequence[tuple[str, str]], width: int) -> str:
    left = min(max(_cells(when) for when, _ in pairs), width * 2 // 5)
    lines = [_pad("when", left) + "  then", "─" * width]
    for when, then in pairs:
        split = _wrap(visible(when), left, "  "), _wrap(visible(then), width - left - 2)
        for number in range(max(len(part) for part in split)):
            parts = [part[number] if number < len(part) else "" for part in split]
            lines.append((_pad(parts[0], left) + "  " + parts[1]).rstrip())
    return "\n".join(lines)
