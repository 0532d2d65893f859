"""Several files, whole or not at all: written beside, then renamed, and put back when one can't be."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class _Pending:
    """A new text beside the file it will replace; `old` is a second name of the file that is there."""

    __slots__ = ("beside", "old", "path", "placed", "target")

    def __init__(self, path: str) -> None:
        self.path = path
        self.target = os.path.realpath(path)  # a link stays a link
        self.beside = self.old = ""
        self.placed = False

    def write(self, text: str) -> None:
        handle, self.beside = tempfile.mkstemp(prefix=".trainc-", dir=os.path.dirname(self.target))
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(self.beside, _mode(self.target))

    def place(self) -> None:
        if os.path.exists(self.target):
            self.old = f"{self.beside}.old"
            os.link(self.target, self.old)
        os.replace(self.beside, self.target)
        self.placed = True

    def undo(self) -> None:
        if self.placed and self.old:
            os.replace(self.old, self.target)
        elif self.placed:
            os.unlink(self.target)

    def clean(self) -> None:
        for name in (self.beside, self.old):
            if name:
                with suppress(FileNotFoundError):
                    os.unlink(name)


def write_files(texts: dict[str, str]) -> None:
    """Write every text to its path.

    A reader sees the old file or the new one, never a part. OSError names the path that was asked for, and
    then all files are as they were.
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
    """Write to what is no file and can't be replaced by one: a device, a pipe, /dev/stderr."""
    with _named(path), open(path, "ab", buffering=0) as device:
        left = memoryview(text.encode())
        while left:
            left = left[device.write(left) :]


@contextmanager
def _named(path: str) -> Iterator[None]:
    """The name of a file beside would tell the user nothing."""
    try:
        yield
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror or str(problem), path) from None


def _mode(path: str) -> int:
    """The file's own mode, or that of a new file."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
