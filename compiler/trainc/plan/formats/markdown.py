"""Plan in GitHub's Markdown, for a pull request."""

from __future__ import annotations

import html
from collections.abc import Sequence

from trainc.diagnostics.cells import visible
from trainc.plan.formats import tables
from trainc.plan.formats.summary import headline, summary
from trainc.plan.plan import Plan


def markdown(plan: Plan) -> str:
    """Format a plan as tables. Text of the manifests is escaped and can't be markup."""
    parts = [f"## {_plain(headline(plan))}"]
    parts.append("\n".join(f"- **{_plain(each.where)}**: {_plain(each.sentence)}" for each in plan.findings))
    if plan.workers:
        parts.append(_table(*tables.pods(plan)))
        parts.append(" ".join(_plain(note) for note in tables.notes(plan)))
    parts.append(_table(["", ""], [[name, _code(value)] for name, value in summary(plan)], markup=1))
    if plan.world_sizes:
        parts.append(_table(*tables.world_sizes(plan)))
    if plan.failure_cases:
        parts.append(_table(*tables.failure_cases(plan)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _plain(text: str) -> str:
    shown = html.escape(visible(text), quote=False)
    return "".join("\\" + char if char in "\\`*_[]|~#" else char for char in shown)


def _code(text: str) -> str:
    """Format code as an HTML tag: a code span can't hold backticks, nor a table's cell a bar."""
    shown = html.escape(visible(text), quote=False)
    escaped = "".join(f"&#{ord(char)};" if char in "\\`*_[]|~#:@" else char for char in shown)
    return f"<code>{escaped}</code>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], markup: int | None = None) -> str:
    """Format a table; `markup` is the column that is escaped already."""
    lines = [heads, ["---"] * len(heads)]
    lines += [[cell if column == markup else _plain(cell) for column, cell in enumerate(row)] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
