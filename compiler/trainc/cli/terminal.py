"""Width of texts on a terminal."""

from __future__ import annotations

import shutil
import sys

_NARROWEST, _WIDEST = 80, 120


def text_width(default: int = _NARROWEST) -> int:
    """Return the columns for text on standard output: those of the terminal, from 80 to 120, else the default."""
    if sys.stdout is None or not sys.stdout.isatty():
        return default
    return min(_WIDEST, max(_NARROWEST, shutil.get_terminal_size((default, 24)).columns))
