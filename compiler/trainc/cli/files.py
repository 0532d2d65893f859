"""Files that are written whole or not at all, and devices."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from trainc.cli.signals import deferred, stop_if_signaled
from trainc.cli.staging import STAGING
from trainc.cli.transaction import Transaction


def write_files(texts: dict[str, str], folder: str | None = None) -> None:
    """Write every text to its path, all in one folder, which is created, or none.

    A reader sees the old file or the new one, never a part. Raises OSError with the requested path, and
    KeyboardInterrupt, after all files were restored. A signal ends the process before the first file is replaced or
    after the last one.
    """
    first = next(iter(texts), "")
    with deferred():
        created = _create(folder) if folder else []
        try:
            with _named(folder or first):
                root = os.path.realpath(folder) if folder else os.path.dirname(os.path.realpath(first))
                names = {path: _name_in(root, path) for path in texts}
                if len(set(names.values())) < len(names):
                    raise OSError(errno.EEXIST, "two jobs have one file, through a link in the folder")
                transaction = Transaction(root)
                with transaction.locked():
                    for path, text in texts.items():
                        stop_if_signaled()
                        with _named(path):
                            transaction.stage(names[path], text.encode(), copy=len(texts) > 1)
                    transaction.commit()
        except BaseException:
            for path in created:
                with suppress(OSError):
                    os.rmdir(path)
            raise


def recover(folder: str) -> None:
    """Complete or undo the writes of a killed run, unless another run holds the lock or access is denied."""
    transaction = Transaction(os.path.realpath(folder))
    if os.path.lexists(transaction.staging.path):
        with suppress(OSError), deferred(), transaction.locked(wait=False):
            pass


def write_device(path: str, text: str) -> None:
    """Write to a device, a pipe or /dev/stderr, which no file can replace."""
    with _named(path), open(path, "ab", buffering=0) as device:
        left = memoryview(text.encode())
        while left:
            left = left[device.write(left) :]


def _name_in(folder: str, path: str) -> str:
    """Return the path of a file in its folder, through links, or raise OSError if a link leads out of it."""
    name = os.path.relpath(os.path.realpath(path), folder)
    if name.split(os.sep)[0] == os.pardir:
        raise OSError(errno.EPERM, "the link leads out of the folder", path)
    return name


def _create(folder: str) -> list[str]:
    """Create a folder and those above it; return the new ones, the innermost first."""
    missing = []
    path = os.path.abspath(folder)
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    with _named(folder):
        os.makedirs(folder, exist_ok=True)
    return missing


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Name the requested path in an OSError that names none or a staged file."""
    try:
        yield
    except OSError as problem:
        name = problem.filename if problem.filename and STAGING not in problem.filename else path
        raise OSError(problem.errno, problem.strerror or str(problem), name) from None
