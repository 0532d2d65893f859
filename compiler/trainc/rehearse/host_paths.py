"""Checks of the paths of this machine that a user names on the command line."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trainc.rehearse.events import RehearsalError


def unlinked(path: Path) -> Path:
    """Return the absolute path. Raises RehearsalError for a link, and if links lead it out of the working directory.

    The working directory may be an untrusted checkout.
    """
    here = Path.cwd()
    if path.is_symlink() or (
        path.absolute().is_relative_to(here) and not path.resolve().is_relative_to(here.resolve())
    ):
        raise RehearsalError(f"{path} is a symbolic link: name what it leads to")
    return path.absolute()


def refuse_sockets(folder: Path, hidden: bool = True) -> None:
    """Raise RehearsalError for a socket or FIFO in a directory: a read-only mount doesn't protect them."""
    for path in _sockets(folder, hidden):
        raise RehearsalError(f"{path} is a socket or FIFO, which pods could use: move it out of {folder}")


def _sockets(folder: Path | str, hidden: bool) -> Iterator[str]:
    """Yield the sockets and FIFOs of a directory; `hidden` concerns only its own entries."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not hidden and entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _sockets(entry.path, hidden=True)
            elif not (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                kind = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISSOCK(kind) or stat.S_ISFIFO(kind):
                    yield entry.path
