"""Colours of a terminal, where they are wanted: https://no-color.org"""

from __future__ import annotations

import os
from typing import IO, Any

from trainc.record import Record


class Paint(Record):
    """Texts in colours, or as they are."""

    on: bool = False

    def good(self, text: str) -> str:
        """Green."""
        return self._with("32", text)

    def bad(self, text: str) -> str:
        """Bold red."""
        return self._with("1;31", text)

    def faint(self, text: str) -> str:
        """What is read last."""
        return self._with("2", text)

    def strong(self, text: str) -> str:
        """Bold."""
        return self._with("1", text)

    def _with(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text


def paint(stream: IO[Any] | None) -> Paint:
    """What a stream can show."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Paint(on=bool(stream is not None and stream.isatty() and wanted))
