"""Standard output and standard error, which may be full, closed or without a reader."""

from __future__ import annotations

import errno
import os
import sys

from trainc.typenames import IO, Any


def to_stdout(text: str | bytes) -> None:
    """Write and flush a text in UTF-8, in any locale, or bytes. Raises OSError unless all of it was written."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    left = memoryview(text.encode() if isinstance(text, str) else text)
    while left:  # without Python's buffer (PYTHONUNBUFFERED) one write may take only a part
        left = left[sys.stdout.buffer.write(left) :]
    sys.stdout.buffer.flush()


def to_stderr(text: str) -> None:
    """Write a message if possible; a failure is not a second error."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)


def abandon(stream: IO[Any] | None) -> None:
    """Redirect a failed stream to /dev/null, or Python flushes it at exit and exits with 120."""
    if stream is None:
        return
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError:  # no file behind it
        return
