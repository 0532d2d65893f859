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
