"""Files that are written whole or not at all, and devices."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress

from trainc.cli.folder import Folder
from trainc.cli.signals import deferred, stop_if_signaled
from trainc.cli.staging import STAGING, ForeignStagingError
from trainc.cli.transaction import Transaction


def write_files(texts: Mapping[str, str | bytes], folder: str | None = None) -> None:
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
                root = os.path.realpath(folder) if folder else os.path.dirname(_followed(first))
                names = {path: _name_in(root, path) for path in texts}
                if len(set(names.values())) < len(names):
                    raise OSError(errno.EEXIST, "two jobs have one file, through a link in the folder")
                with closing(Folder(root)) as opened:
                    transaction = Transaction(opened)
                    with transaction.locked():
                        for path, text in texts.items():
                            stop_if_signaled()
                            with _named(path):
                                transaction.stage(names[path], _encoded(text), copy=len(texts) > 1)
                        transaction.commit()
        except BaseException:
            for path in created:
                with suppress(OSError):
                    os.rmdir(path)
            raise


def write_device(path: str, text: str | bytes) -> None:
    """Write to a device, a pipe or /dev/stderr, which no file can replace."""
    with _named(path), open(path, "ab", buffering=0) as device:
        left = memoryview(_encoded(text))
        while left:
            left = left[device.write(left) :]


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _name_in(folder: str, path: str) -> str:
    """Return the name of a file in its folder, through links, or raise OSError if a link leads out of it."""
    parent, name = os.path.split(os.path.realpath(path))
    if parent != folder:
        raise OSError(errno.EPERM, "the link leads out of the folder", path)
    return name


def _followed(path: str) -> str:
    """Return the path of a file through links. Raises OSError for a link that a checkout should not contain."""
    target, parent = os.path.realpath(path), os.path.realpath(os.path.dirname(path))
    if not any(os.path.commonpath([root, target]) == root for root in (parent, os.path.realpath(os.curdir))):
        message = "the link leads out of its folder and the current one; delete it, or pass its target to -o"
        raise OSError(errno.EPERM, message, path)
    return target


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
    """Name the requested path in an OSError that names none, a staged file, or a file without its folder."""
    try:
        yield
    except ForeignStagingError:
        raise
    except OSError as problem:
        name = str(problem.filename or "")
        if not os.path.isabs(name) or STAGING in name:
            name = path
        raise OSError(problem.errno, problem.strerror or str(problem), name) from None
