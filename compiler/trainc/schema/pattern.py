"""Patterns of JSON Schema."""

from __future__ import annotations

import re
from functools import cache


def matches(pattern: str, text: str) -> bool:
    """Return whether a schema's pattern matches a text."""
    return compiled(pattern).search(text) is not None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a schema's pattern as one of Python, for `search`."""
    # JSON Schema's `$` matches only at the end; Python's also matches before a final line break.
    return re.compile(pattern.replace("$", r"\Z") if pattern.endswith("$") else pattern)
