"""Texts on a terminal: measured in its cells, wrapped, cut and painted."""

from __future__ import annotations

import textwrap

from trainc.diagnostics.cells import cells, visible
from trainc.record import Record

_CODES = {"good": "32", "waits": "33", "bad": "31", "soft": "2", "strong": "1"}
_SECOND = "\0"  # second cell of a wide character
_CONTEXT = 16  # characters before the first difference of two texts


class Colors(Record):
    """Terminal colors; if `enabled` is false, texts stay plain."""

    enabled: bool = False

    def paint(self, text: str, style: str) -> str:
        """Return the text with the codes of a style around it."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.enabled and style and text else text


def columns(line: str) -> int:
    """Return the width of a line."""
    return len(line) if line.isascii() and line.isprintable() else sum(width for _, width in cells(line))


def pad(text: str, width: int, right: bool = False) -> str:
    """Fill a text with spaces; on the left if it is aligned to the right."""
    space = " " * (width - columns(text))
    return space + text if right else text + space


def wrap(text: str, width: int, hanging: str = "") -> list[str]:
    """Break a text into visible lines, between words if possible; all but the first begin with `hanging`."""
    shown = visible(text)
    if not shown.isascii():
        shown = "".join(each + _SECOND * (size - 1) for each, (_, size) in zip(shown, cells(shown), strict=True))
        width -= _SECOND in shown  # a long word may be broken inside a wide character
    lines = textwrap.wrap(shown, width, subsequent_indent=hanging, break_on_hyphens=False)
    return [line.replace(_SECOND, "") for line in lines] or [""]


def fit(text: str, width: int) -> str:
    """Return the visible beginning of a text that fits a width."""
    shown, used = "", 0
    for part, size in cells(visible(text)):
        if used + size > width:
            return shown[:-1] + "…" if shown else ""
        shown, used = shown + part, used + size
    return shown


def excerpts(old: str, new: str, width: int) -> tuple[str, str]:
    """Return two visible texts, cut to a width around their first difference."""
    old, new = visible(old), visible(new)
    if old and new and max(len(old), len(new)) > width:
        common = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
        start = min(common - _CONTEXT, max(len(old), len(new)) - width + 1)
        if start > 0:
            old, new = (f"…{each[start + 1 :]}" for each in (old, new))
    return fit(old, width), fit(new, width)
