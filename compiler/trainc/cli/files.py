"""Write several files atomically: temporary files, renamed, and restored if one fails."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class _Pending:
    """New text in a temporary file; `old` is a second link to the file that it replaces."""

    __slots__ = ("old", "path", "placed", "target", "temporary")

    def __init__(self, path: str) -> None:
        self.path = path
        self.target = os.path.realpath(path)  # a link stays a link
        self.temporary = self.old = ""
        self.placed = False

    def write(self, text: str) -> None:
        handle, self.temporary = tempfile.mkstemp(prefix=".trainc-", dir=os.path.dirname(self.target))
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(self.temporary, _mode(self.target))

    def place(self) -> None:
        if os.path.exists(self.target):
            self.old = f"{self.temporary}.old"
            os.link(self.target, self.old)
        os.replace(self.temporary, self.target)
        self.placed = True

    def undo(self) -> None:
        if self.placed and self.old:
            os.replace(self.old, self.target)
        elif self.placed:
            os.unlink(self.target)

    def clean(self) -> None:
        for name in (self.temporary, self.old):
            if name:
                with suppress(FileNotFoundError):
                    os.unlink(name)


def write_files(texts: dict[str, str]) -> None:
    """Write every text to its path.

    A reader sees the old file or the new one, never a part. Raises OSError with the requested path, after all files
    were restored.
    """
    pending = [_Pending(path) for path in texts]
    try:
        for file in pending:
            with _named(file.path):
                file.write(texts[file.path])
        for file in pending:
            with _named(file.path):
                file.place()
    except BaseException:
        for file in pending:
            file.undo()
        raise
    finally:
        for file in pending:
            file.clean()


def write_device(path: str, text: str) -> None:
    """Write to a device, a pipe or /dev/stderr, which no file can replace."""
    with _named(path), open(path, "ab", buffering=0) as device:
        left = memoryview(text.encode())
        while left:
            left = left[device.write(left) :]


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Name the requested path in an OSError, not the temporary file."""
    try:
        yield
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror or str(problem), path) from None


def _mode(path: str) -> int:
    """Return the mode of the file, or of a new file."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
