"""Terminal colors, unless NO_COLOR is set: https://no-color.org"""

from __future__ import annotations

import os
from typing import IO, Any

from trainc.record import Record


class Colors(Record):
    """Color codes around a text; the plain text if `enabled` is false."""

    enabled: bool = False

    def good(self, text: str) -> str:
        """Return the text in green."""
        return self._wrap("32", text)

    def bad(self, text: str) -> str:
        """Return the text in bold red."""
        return self._wrap("1;31", text)

    def faint(self, text: str) -> str:
        """Return the text in faint characters."""
        return self._wrap("2", text)

    def strong(self, text: str) -> str:
        """Return the text in bold."""
        return self._wrap("1", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.enabled and text else text


def colors_for(stream: IO[Any] | None) -> Colors:
    """Return the colors of a stream: enabled only on a terminal."""
    is_allowed = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Colors(enabled=bool(stream is not None and stream.isatty() and is_allowed))
