"""Diagnostics of YAML syntax errors."""

from __future__ import annotations

import re
from typing import Any

from ruamel.yaml.error import MarkedYAMLError, YAMLError

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.span import Source, Span, split_lines

# Fragments of the messages of both parsers, and their most common fix.
_HELP = (
    ("tab character", "indent with spaces"),
    ("found unexpected ':'", "quote the value that contains a colon"),
    ("cannot start any token", "quote the value"),
    ("mapping values are not allowed", "quote the value if it contains `: `"),
    ("did not find expected key", "fix the indentation of this line or the line above"),
    ("expected <block end>", "fix the indentation of this line or the line above"),
    ("did not find expected '-' indicator", "fix the indentation of this line or the line above"),
    ("could not find expected ':'", "write `: ` and a value after the key"),
    ("unexpected end of stream", "close the quote"),
    ("expected ',' or ']'", "close the list that starts with `[`"),
    ("expected ',' or '}'", "close the mapping that starts with `{`"),
    ("node content", "close the list or mapping"),
)
# Of a matrix, in a list or mapping in flow style, whose brackets it would contain.
_EXPRESSION = re.compile(r"\$?\{\{ *matrix\.")


def parser_error(source: Source, problem: Exception) -> Diagnostic | None:
    """Return an error of a YAML parser as a diagnostic, None for any other exception."""
    if isinstance(problem, MarkedYAMLError):
        return _syntax_error(source, problem)
    return _unprintable(source) if isinstance(problem, YAMLError) else None


def _syntax_error(source: Source, problem: Any) -> Diagnostic:
    """Return the parser's MarkedYAMLError as a diagnostic."""
    message = " ".join(str(problem.problem or problem.context or "not YAML").split())
    mark = problem.problem_mark or problem.context_mark
    if mark and source.line(mark.line + 1)[mark.column : mark.column + 1] == "\t":
        message = "a tab character is not allowed here"  # libyaml reports only that it starts no token
    help_ = next((fix for fragment, fix in _HELP if fragment in message), None)
    if mark and _EXPRESSION.match(source.line(mark.line + 1), mark.column):
        help_ = 'quote the expression: "${{ matrix.NAME }}"'
    related = []
    context = problem.context_mark
    if context and mark and problem.context and context.line != mark.line:
        related.append((_span(source, context), str(problem.context)))
    span = _span(source, mark) if mark else Span(source, 1, 1, 1, 2)
    return error(codes.YAML_SYNTAX, message, span, help=help_, related=related)


def after_error(text: str, problem: Diagnostic) -> str | None:
    """Return the documents after a syntax error, on their original lines; None if there are none."""
    if problem.code is not codes.YAML_SYNTAX:
        return None
    lines = split_lines(text)
    first = next((number for number, line in enumerate(lines) if line), 0)
    for number in range(max(first + 1, problem.span.line - 1), len(lines)):
        if re.match(r"---(\s|$)", lines[number]):
            return "\n" * number + "\n".join(lines[number:])
    return None


def _unprintable(source: Source) -> Diagnostic:
    """Return a diagnostic for the control character that the parser rejects without a position."""
    # https://yaml.org/spec/1.2.2/#51-character-set, negated
    match = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", source.text)
    if match is None:
        return error(codes.YAML_SYNTAX, "not YAML", Span(source, 1, 1, 1, 2))
    message = f"control character U+{ord(match[0]):04X} is not allowed in YAML"
    help_ = 'write it as an escape in double quotes, like "\\x07"'
    return error(codes.INVALID_CHARACTERS, message, source.span_at(match.start()), help=help_)


def _span(source: Source, mark: Any) -> Span:
    line, column = mark.line + 1, mark.column + 1
    return Span(source, line, column, line, column + 1)
