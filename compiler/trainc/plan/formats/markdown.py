"""A plan for a pull request."""

from __future__ import annotations

import html
from collections.abc import Sequence

from trainc.diagnostics.cells import visible
from trainc.plan.formats import summary, tables
from trainc.plan.plan import Plan


def markdown(plan: Plan) -> str:
    """GitHub's Markdown: tables, and nothing of what a manifest says is markup."""
    parts = [f"## {_plain(summary.headline(plan))}"]
    if plan.findings:
        parts.append("\n".join(f"- **{_plain(one.where)}**: {_plain(one.message)}" for one in plan.findings))
    if plan.workers:
        parts.append(_table(*tables.pods(plan)))
        parts.append(" ".join(_plain(note) for note in tables.notes(plan)))
    parts.append(_table(["", ""], [[name, _code(value)] for name, value in summary.summary(plan)], made=1))
    if plan.world_sizes:
        parts.append(_table(*tables.sizes(plan)))
    if plan.failure_cases:
        parts.append(_table(["when", "then"], [[one.trigger, one.effect] for one in plan.failure_cases]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _plain(text: str) -> str:
    shown = html.escape(visible(text), quote=False)
    return "".join("\\" + one if one in "\\`*_[]|~#" else one for one in shown)


def _code(text: str) -> str:
    """In HTML's own tag: a code span can't hold backticks, nor a table's cell a bar."""
    shown = html.escape(visible(text), quote=False)
    marked = "".join(f"&#{ord(one)};" if one in "\\`*_[]|~#:@" else one for one in shown)
    return f"<code>{marked}</code>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], made: int | None = None) -> str:
    """`made` is the column that is markup already."""
    lines = [heads, ["---"] * len(heads)]
    lines += [[cell if column == made else _plain(cell) for column, cell in enumerate(row)] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
