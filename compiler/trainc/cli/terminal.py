"""Width of texts on a terminal."""

from __future__ import annotations

import shutil
import sys

_NARROWEST, _WIDEST = 80, 120


def text_width(default: int = _NARROWEST) -> int:
    """Return the width of a text on standard output: of the terminal within bounds, or a default, the same anywhere."""
    if sys.stdout is None or not sys.stdout.isatty():
        return default
    return min(_WIDEST, max(_NARROWEST, shutil.get_terminal_size((default, 24)).columns))
