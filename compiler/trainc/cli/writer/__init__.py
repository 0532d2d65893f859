"""Files that are written whole or not at all, and devices. docs/adr/0012-atomic-writes.md has the reasons."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress

from trainc.cli.signals import deferred, stop_if_signaled
from trainc.cli.writer.folder import Folder, not_regular
from trainc.cli.writer.staging import STAGING, ForeignStagingError
from trainc.cli.writer.transaction import Transaction


def write_files(texts: Mapping[str, str | bytes], folder: str | None = None, removed: Collection[str] = ()) -> None:
    """Write every text to its path, all in one folder, which is created, and remove files of it; all or nothing.

    A reader sees the old file or the new one, never a part. Raises OSError with the requested path, and
    KeyboardInterrupt, after all files were restored. A signal ends the process before the first file is replaced or
    after the last one.
    """
    first = folder or next(iter(texts), "")
    with deferred():
        root = _followed(folder) if folder else os.path.dirname(_followed_file(first))
        with _created(folder) if folder else nullcontext(), _named(first):
            names = {path: _name_in(root, path) for path in texts}
            if len(set(names.values())) < len(names):
                raise OSError(errno.EEXIST, "two jobs have one file, through a link in the directory")
            with closing(Folder(root)) as opened:
                transaction = Transaction(opened, is_single=len(texts) + len(removed) <= 1)
                with transaction.locked():
                    for path, text in texts.items():
                        stop_if_signaled()
                        with _named(path):
                            transaction.stage(names[path], _encoded(text))
                    for path in removed:
                        with _named(path):
                            transaction.stage_removal(os.path.basename(path))
                    transaction.commit()


@contextmanager
def new_private_file(path: str, text: str) -> Iterator[None]:
    """Write a new file that only its owner may read, and remove it if the block fails; it defers signals."""
    with deferred():
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(handle, "wb") as file:
                file.write(text.encode())
            yield
        except BaseException:
            os.unlink(path)
            raise


def read_file(path: str) -> str:
    """Return the text of a file that `write_files` can replace. Raises OSError for a folder, a pipe or a device."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise not_regular(path)
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


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
        raise OSError(errno.EPERM, "the link leads out of the directory", path)
    return name


def _followed_file(path: str) -> str:
    """Return the path of a file through links. Raises OSError for a link that a checkout should not contain."""
    parent, target = _followed(os.path.dirname(path)), os.path.realpath(path)
    if not any(_is_below(root, target) for root in (parent, os.path.realpath(os.curdir))):
        raise _leads_out(path)
    return target


def _followed(folder: str) -> str:
    """Return the path of a folder through links.

    Raises OSError for a path below the current folder that a link leads out of it, as one of a checkout may.
    """
    here, target = os.path.realpath(os.curdir), os.path.realpath(folder)
    if _is_below(here, os.path.abspath(folder)) and not _is_below(here, target):
        raise _leads_out(folder)
    return target


def _is_below(root: str, path: str) -> bool:
    return os.path.commonpath([root, path]) == root


def _leads_out(path: str) -> OSError:
    message = "the link leads out of its directory and the current one; delete it, or pass its target to -o"
    return OSError(errno.EPERM, message, path)


@contextmanager
def _created(folder: str) -> Iterator[None]:
    """Create a folder and those above it, and remove the new ones if the block fails."""
    missing = []
    path = os.path.abspath(folder)
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    with _named(folder):
        os.makedirs(folder, exist_ok=True)
    try:
        yield
    except BaseException:
        for path in missing:
            with suppress(OSError):
                os.rmdir(path)
        raise


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
