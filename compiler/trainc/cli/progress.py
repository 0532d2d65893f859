"""Progress of a long run: one line on a terminal, which is gone before the first message."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from trainc.cli.streams import is_terminal, to_stderr

_DELAY = 2.0  # seconds without a line
_INTERVAL = 0.1  # between two updates
_WIDTH = 30  # of the bar
_CLEAR = "\r\x1b[K"


@contextmanager
def progress(total: int, is_wanted: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes the number of finished files."""
    start = last = time.monotonic()
    is_shown, may_show = False, is_wanted and _is_persons_terminal()

    def report(done: int) -> None:
        nonlocal last, is_shown
        now = time.monotonic()
        if may_show and now - start >= _DELAY and now - last >= _INTERVAL:
            last, is_shown = now, True
            to_stderr(f"{_CLEAR}{_line(min(done, total), total)}")

    try:
        yield report
    finally:
        if is_shown:
            to_stderr(_CLEAR)


def _line(done: int, total: int) -> str:
    bar = ("#" * (_WIDTH * done // total)).ljust(_WIDTH)
    return f"[{bar}] {done:,} of {total:,} files"


def _is_persons_terminal() -> bool:
    """Return whether standard error is a terminal of a person: CI systems set CI."""
    return is_terminal(sys.stderr) and not os.environ.get("CI")
