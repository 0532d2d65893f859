"""Redaction of the excerpts that diagnostics show of an input."""

from __future__ import annotations

import re
from bisect import bisect_right

from trainc.secrets.text import find_secrets
from trainc.span import LINE_BREAKS, Source, Span


def redact_excerpts(source: Source) -> None:
    """Hide secrets of an input from excerpts, which end up in the logs of CI; also of a text that isn't YAML."""
    starts = [0, *(match.end() for match in re.finditer("|".join(LINE_BREAKS), source.text))]
    for start, end, _ in find_secrets(source.text):
        first, last = bisect_right(starts, start), bisect_right(starts, end)
        source.hide(Span(source, first, start - starts[first - 1] + 1, last, end - starts[last - 1] + 1))


def hide_secret(secret: str, where: Span) -> None:
    """Hide a secret wherever a span has it; all of the span, if it is written otherwise there, with escapes."""
    source, is_literal = where.source, False
    for number in range(where.line, where.end_line + 1):
        for match in re.finditer(re.escape(secret), source.line(number)):
            source.hide(Span(source, number, match.start() + 1, number, match.end() + 1))
            is_literal = True
    if not is_literal:
        source.hide(where)
