"""Directories and files below an open directory, whose paths come from manifests and never leave it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trainc.rehearse import linux

FOLDER = os.O_PATH | os.O_DIRECTORY


@contextmanager
def opened(file: int) -> Iterator[int]:
    """Close a file descriptor at the end of the block."""
    try:
        yield file
    finally:
        os.close(file)


def make_folder(
    top: int,
    path: str,
    owner: int | None,
    resolve: int = linux.IN_ROOT,
    mode: int = 0o755,
    before: Callable[[str], None] = lambda _: None,
) -> int:
    """Open a directory, created with its parents if it is missing; `before` is called with each parent to change.

    `owner` None leaves new directories to the user of this process.
    """
    here = "."
    for part in filter(None, path.split("/")):
        parent, here = here, f"{here}/{part}"
        try:
            os.close(linux.open_below(top, here, FOLDER, resolve))
        except FileNotFoundError:
            before(parent)
            with opened(linux.open_below(top, parent, FOLDER, resolve)) as folder, suppress(FileExistsError):
                os.mkdir(part, dir_fd=folder)
                if owner is not None:
                    with opened(os.open(part, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)) as new:
                        os.fchmod(new, mode)
                        os.fchown(new, owner, owner)
    return linux.open_below(top, here, FOLDER, resolve)


def write_file(folder: int, name: str, content: bytes, owner: int, mode: int = 0o644) -> None:
    """Write a new file into an open directory. Raises FileExistsError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(content)
        os.fchown(file.fileno(), owner, owner)
        os.fchmod(file.fileno(), mode)


def write_below(top: int, path: str, content: str, owner: int, mode: int = 0o644) -> None:
    """Write a new file at a path below an open directory; its parents are created if they are missing."""
    folder, name = os.path.split(path)
    with opened(make_folder(top, folder, owner, linux.BENEATH)) as parent:
        write_file(parent, name, content.encode(errors="surrogateescape"), owner, mode)


def append_below(folder: Path, path: str, content: str, truncate: bool = False) -> None:
    """Write to a file below a directory of this machine without following links, which a checkout may contain."""
    resolve, flags = linux.BENEATH | linux.NO_LINKS, os.O_WRONLY | os.O_CREAT
    folder.mkdir(parents=True, exist_ok=True)
    with opened(os.open(folder, FOLDER)) as top:
        os.close(make_folder(top, os.path.dirname(path), None, resolve))
        flags |= os.O_TRUNC if truncate else os.O_APPEND
        with open(linux.open_below(top, path, flags, resolve, 0o666), "w") as file:
            file.write(content)
