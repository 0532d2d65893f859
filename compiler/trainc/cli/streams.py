"""Standard output and standard error as they really are: full, closed, or without a reader."""

from __future__ import annotations

import errno
import os
import sys
from typing import IO, Any


def to_stdout(text: str) -> None:
    """All of it and at once, in UTF-8 whatever the locale is. OSError when not all of it can be written."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    left = memoryview(text.encode())
    while left:  # without Python's buffer (PYTHONUNBUFFERED) one write may take only a part
        left = left[sys.stdout.buffer.write(left) :]
    sys.stdout.buffer.flush()


def to_stderr(text: str) -> None:
    """A message, if there is anywhere to show it: that it can't be shown is no second error."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)


def abandon(stream: IO[Any] | None) -> None:
    """Nothing more can be written: else Python tries once more when it exits, and exits with 120."""
    if stream is None:
        return
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError:  # no file behind it
        return
