"""Diagnostics for people: message, position, source lines with carets, and help."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.excerpt import MAX_WIDTH, Mark, Paint, excerpt

_COLORS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}
_LIST_WIDTH = 100  # columns, also where the output is no terminal, like the log of a pipeline
_FRAME, _BOLD, _END = "\x1b[1;34m", "\x1b[1m", "\x1b[0m"


def render(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """Return all diagnostics, each followed by an empty line."""
    return "".join(_diagnostic_text(diagnostic, color) + "\n\n" for diagnostic in diagnostics)


def _diagnostic_text(diagnostic: Diagnostic, color: bool) -> str:
    tone, frame, bold = (
        partial(_colored, code) if color else str for code in (_COLORS[diagnostic.severity], _FRAME, _BOLD)
    )
    lines = [f"{tone(f'{diagnostic.severity}[{diagnostic.code.id}]')}{bold(f': {visible(diagnostic.message)}')}"]
    excerpts = _excerpts(diagnostic, tone, frame)
    margin = max(len(str(mark.span.line)) for marks in excerpts for mark in marks)
    for number, marks in enumerate(excerpts):
        lines.append(f"{' ' * margin}{frame(':::' if number else '-->')} {visible(str(marks[0].span))}")
        lines += excerpt(marks, margin, frame)
    see = f"trainc explain {diagnostic.field}" if diagnostic.field else diagnostic.code.explanation
    details = {"expected": diagnostic.expected, "help": diagnostic.help, "see": see}
    for kind, text in details.items():
        if text:
            label = len(f"= {kind}: ") + margin + 1
            parts = _list_lines(visible(text), _LIST_WIDTH - label) if kind == "expected" else [visible(text)]
            lines.append(f"{' ' * margin} {frame('=')} {bold(kind)}: {parts[0]}")
            lines += [" " * label + part for part in parts[1:]]
    return "\n".join(lines)


def _list_lines(text: str, width: int) -> list[str]:
    """Return a text in lines of at most a width, broken after commas."""
    lines = [""]
    for item in text.split(", "):
        if not lines[-1]:
            lines[-1] = item
        elif len(f"{lines[-1]}, {item},") <= width:
            lines[-1] += f", {item}"
        else:
            lines[-1] += ","
            lines.append(item)
    return lines


def _excerpts(diagnostic: Diagnostic, tone: Paint, frame: Paint) -> list[list[Mark]]:
    """Return marks by excerpt: the main position with related ones of its file, then each position in another file."""
    main = diagnostic.span
    excerpts = [[Mark(span=main, sign="^", label="", paint=tone)]]
    is_cut = len(main.source.line(main.line)) > MAX_WIDTH  # of a long line an excerpt shows only a part
    for related in diagnostic.related:
        mark = Mark(span=related.span, sign="-", label=related.message, paint=frame)
        if related.span.source is main.source and not (is_cut and related.span.line == main.line):
            excerpts[0].append(mark)
        else:
            excerpts.append([mark])
    return excerpts


def _colored(code: str, text: str) -> str:
    return f"{code}{text}{_END}" if text else ""
