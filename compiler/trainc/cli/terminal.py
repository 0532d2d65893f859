"""Terminal of a user: its width, colors, and the progress of a long run."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from trainc.cli.streams import to_stderr
from trainc.typenames import IO, Any

NARROWEST, _WIDEST = 80, 120
# Of the progress.
_DELAY = 2.0  # seconds without a line
_INTERVAL = 0.1  # between two updates
_WIDTH = 30  # of the bar
_CLEAR = "\r\x1b[K"


def text_width(default: int = NARROWEST) -> int:
    """Return the columns for text on standard output: those of the terminal, from 80 to 120, else the default."""
    if sys.stdout is None or not sys.stdout.isatty():
        return default
    return min(_WIDEST, max(NARROWEST, shutil.get_terminal_size((default, 24)).columns))


def is_terminal(stream: IO[Any] | None) -> bool:
    """Return whether a stream is a terminal that understands control characters."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def is_interactive() -> bool:
    """Return whether a user can be asked: both standard input and standard output are a terminal."""
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and stream.isatty() for stream in streams)


def has_color(stream: IO[str] | None) -> bool:
    """Return whether to use color: on a terminal, unless https://no-color.org or https://force-color.org says else."""
    if os.environ.get("NO_COLOR"):
        return False
    return is_terminal(stream) or bool(os.environ.get("FORCE_COLOR"))


@contextmanager
def progress(total: int, is_wanted: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes the number of finished files, and shows it in a line that is cleared at the end."""
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
