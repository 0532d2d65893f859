"""Unrendered templates of Helm, Jinja and envsubst: one error for a file, in place of those that its syntax causes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.diagnostics.message import CHECK_STDIN, Message
from trainc.secrets.text import redact
from trainc.source.load import load
from trainc.source.node import Node
from trainc.span import Source, Span
from trainc.systems.shared.reader.template_variables import (
    VARIABLE,
    in_place_of_values,
    mask_braces,
    render_command,
    strings,
)

# https://helm.sh/docs/chart_template_guide/ and https://jinja.palletsprojects.com/templates/
_ACTION = re.compile(r"\{\{.*?(?:\}\}|$)|\{%.*?(?:%\}|$)", re.MULTILINE)
_LINE_OF_ACTION = re.compile(r"^[ \t]*(?:\{\{|\{%)", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|\s)#")
# A name alone, with filters or as a call, is Jinja's; few functions of Go take no argument.
_JINJA = re.compile(r"\{%|\{\{-?\s*(?!(?:end|else|now|uuidv4|break|continue)\b)[A-Za-z_][\w.]*\s*(?:-?\}\}|[|(\[])")
# Objects and functions that only Helm has: in a command, other braces may be for the program.
_HELM = re.compile(r"\{\{(?=[^{}]*(?:\.Values\.|\.Release\.|\.Chart\.|\binclude \"))[^{}]*\}\}")
_BY_BRACES = frozenset((codes.YAML_SYNTAX, codes.NON_STRING_KEY, codes.INVALID_ALIAS, codes.UNSUPPORTED_TAG))
_MAX_LINE = 1000  # characters of a line that are searched
_MAX_SHOWN = 40

Found = Iterator[tuple[str, Span]]


def unrendered_template(
    source: Source,
    documents: list[Node],
    foreign_jobs: Callable[[list[Node]], Sequence[Node]],
    diagnostics: Sequence[Diagnostic],
) -> Diagnostic | None:
    """Return one error if a file is a template, None if it is not.

    `foreign_jobs` returns the jobs of other systems among documents; `diagnostics` are all others of the file.
    """
    errors = [each for each in diagnostics if each.severity == "error" and each.span.source is source]
    action = next(_actions(source, documents, errors), None)
    if action is not None:
        return _for_engine(source, *action)
    variables = list(_variables_in_flow(source, errors))
    if variables:
        documents = load(mask_braces(source))[0]
    places = {each.span.place for each in errors}
    variables += [(text, span) for each in documents for text, span in in_place_of_values(each) if span.place in places]
    variables += [variable for job in foreign_jobs(documents) for variable in in_place_of_values(job)]
    if not variables:
        return None
    reference, span = min(variables, key=lambda variable: variable[1].place)
    others = len({text for text, _ in variables}) - 1
    more = f" and {others} more variable{'s' * (others > 1)}" if others else ""
    message = f"unrendered template: `{_shown(reference)}`{more} in place of a value"
    where = Span(source, span.line, span.column, span.end_line, span.end_column)  # not in the masked text
    return _unrendered(message, where, render_command(source, documents, reference))


def _for_engine(source: Source, action: str, span: Span) -> Diagnostic:
    is_jinja = "{%" in source.text or _JINJA.match(action)
    name = shlex.quote(source.name) if source.is_file else "FILE"
    tool = f"jinja2 {name} VALUES" if is_jinja else f"helm template {_chart(source)}"
    message = f"unrendered template: `{_shown(redact(action))}` is for {'Jinja' if is_jinja else 'Helm'}"
    return _unrendered(message, span, f": {tool}")


def _unrendered(message: str, where: Span, render: str) -> Diagnostic:
    help_ = Message("render it first{} {}", render, CHECK_STDIN)
    return error(codes.UNRENDERED_TEMPLATE, message, where, help=help_)


def _chart(source: Source) -> str:
    """Return the directory of the chart: https://helm.sh/docs/topics/charts/#the-chart-file-structure."""
    chart, folder, _ = source.name.rpartition("/templates/")
    return shlex.quote(chart) if folder and source.is_file else "CHART"


def _shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def _actions(source: Source, documents: list[Node], errors: list[Diagnostic]) -> Found:
    """Yield the actions that cause an error, and those of Helm in valid YAML."""
    for each in errors:
        if each.code in _BY_BRACES:
            first = _LINE_OF_ACTION.search(source.text)
            lines = sorted({each.span.line, *(other.span.line for other in each.related)})
            lines += [source.span_at(first.end() - 1).line] if first else []
            for line in lines:
                yield from _first_match(_ACTION, _whole(source, line))
        else:
            yield from _first_match(_ACTION, each.span)
    for document in documents:
        for use, scalar in strings(document):
            match = _HELM.search(scalar.text) if use != "text" else None
            if match is not None:
                yield match[0], scalar.span


def _variables_in_flow(source: Source, errors: list[Diagnostic]) -> Found:
    """Yield the variables whose braces open a mapping: `[${NAME}]`."""
    for each in errors:
        start = each.span.column - 2
        if each.code in _BY_BRACES and start >= 0 and source.line(each.span.line).startswith("${", start):
            yield from _first_match(
                VARIABLE, Span(source, each.span.line, start + 1, each.span.line, start + _MAX_LINE)
            )


def _whole(source: Source, line: int) -> Span:
    return Span(source, line, 1, line, len(source.line(line)) + 1)


def _first_match(pattern: re.Pattern[str], span: Span) -> Found:
    """Yield the first match on the first line of a span, unless it is in a comment."""
    line, start = span.source.line(span.line), span.column - 1
    end = min(span.end_column - 1 if span.line == span.end_line else len(line), start + _MAX_LINE)
    match = pattern.search(line, start, end)
    if match is not None and not _COMMENT.search(line, 0, match.start()):
        yield match[0], Span(span.source, span.line, match.start() + 1, span.line, match.end() + 1)
