"""Format `github`: workflow commands, which GitHub shows as annotations of a pull request.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-an-error-message
"""

from __future__ import annotations

from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.formats.strings import checkout_path, replace_surrogates
from trainc.diagnostics.report import Report
from trainc.span import Span

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
# escapeData and escapeProperty in https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}


def render(report: Report) -> str:
    """Return lines of `::error file=,line=,…,title=CODE name::message`."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in report.printed)


def annotation(severity: str, title: str, message: str, file: str = "") -> str:
    """Return the line of a message that is no diagnostic of a line."""
    place = {"file": _path(file)} if file else {}
    return f"{_prefix(severity, {**place, 'title': title})}{visible(message).translate(_DATA)}\n"


def _prefix(severity: str, properties: dict[str, str]) -> str:
    parameters = ",".join(f"{name}={value.translate(_PROPERTY)}" for name, value in properties.items())
    return f"::{_COMMANDS[severity]} {parameters}::"


def _path(name: str) -> str:
    path = checkout_path(replace_surrogates(name)) or replace_surrogates(name)
    return path if path.isprintable() else visible(path)


def _command(diagnostic: Diagnostic) -> str:
    properties = {**_place(diagnostic.span), "title": f"{diagnostic.code.id} {diagnostic.code.name}"}
    lines = [diagnostic.message]
    lines += [f"{related.span}: {related.message}" for related in diagnostic.related]
    lines += [f"{kind}: {text}" for kind in ("cluster", "expected", "help") if (text := getattr(diagnostic, kind))]
    lines.append(f"--> {diagnostic.span}")  # the log of a step shows the message alone
    message = "\n".join(map(visible, lines)).translate(_DATA)
    return f"{_prefix(diagnostic.severity, properties)}{message}"


def _place(span: Span) -> dict[str, str]:
    if not span.source.is_file:
        return {}
    # A span that ends before the first character of a line ends with the line above; GitHub's ends are inclusive.
    last = span.end_line - 1 if span.end_column == 1 and span.end_line > span.line else span.end_line
    place = {"file": _path(span.source.name), "line": str(span.line), "endLine": str(last)}
    if last == span.line:  # columns are for one line only: https://docs.github.com/en/rest/checks/runs
        end = span.end_column - 1 if span.end_line == span.line else len(span.source.line(span.line))
        place |= {"col": str(span.column), "endColumn": str(max(span.column, end))}
    return place
