"""Position of a quotation that a shell script does not close."""

from __future__ import annotations

import re

_HERE_DOCUMENT = re.compile(r"<<(?!<)")
_BEFORE_COMMENT = frozenset(" \t\n;&|(")


class _UnclosedError(Exception):
    """Text that ends inside a quotation; `at` is its start, None for another construct."""

    def __init__(self, at: int | None) -> None:
        super().__init__()
        self.at = at


def unclosed_quotation(text: str) -> int | None:
    """Return the index of the quotation that is not closed; None without one, and for scripts with here-documents."""
    if _HERE_DOCUMENT.search(text):
        return None
    try:
        _scan(text, 0, "")
    except _UnclosedError as unclosed:
        return unclosed.at
    except RecursionError:
        return None
    return None


def _scan(text: str, at: int, end: str, start: int | None = None) -> int:
    """Return the index after `end`, which closes the construct that starts at `start`."""
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
        elif char == end:
            return at + 1
        elif text.startswith("$(", at):
            at = _scan(text, at + 2, ")")
        elif char == '"':
            at = _scan(text, at + 1, '"', at)
        elif end == '"':
            at += 1
        elif char == "'":
            at = _single(text, at)
        elif char == "#" and (at == 0 or text[at - 1] in _BEFORE_COMMENT):
            at = max(text.find("\n", at), at + 1) if "\n" in text[at:] else len(text)
        else:
            at += 1
    if end:
        raise _UnclosedError(start)
    return at


def _single(text: str, at: int) -> int:
    """Return the index after a text in single quotes; in `$'…'` a backslash escapes a quote."""
    end = text.find("'", at + 1)
    while end > 0 and text[at - 1 : at] == "$" and text[end - 1] == "\\":
        end = text.find("'", end + 1)
    if end < 0:
        raise _UnclosedError(at)
    return end + 1
