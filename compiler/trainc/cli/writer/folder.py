"""Files of a folder by name, through its open handle: no link leads out of it."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from trainc.typenames import IO

_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe must not block


class Folder:
    """Open folder. Raises OSError for a symbolic link."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as problem:
            raise OSError(problem.errno, problem.strerror) from None  # the caller knows the requested path

    def close(self) -> None:
        """Close the handle."""
        os.close(self.handle)

    def state(self, name: str) -> os.stat_result | None:
        """Return the status of an entry, which may be a link, or None."""
        try:
            return os.stat(name, dir_fd=self.handle, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def has(self, name: str) -> bool:
        """Return whether there is an entry."""
        return self.state(name) is not None

    def is_regular(self, name: str) -> bool:
        """Return whether an entry is a regular file."""
        state = self.state(name)
        return state is not None and stat.S_ISREG(state.st_mode)

    def names(self) -> list[str]:
        """Return the names of all entries."""
        return os.listdir(self.handle)

    def open_handle(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file. Raises OSError for a symbolic link."""
        return os.open(name, flags | _SAFE, mode, dir_fd=self.handle)

    def open(self, name: str, mode: str = "rb") -> IO[bytes]:
        """Open a file in a binary mode. Raises OSError for a symbolic link."""
        return open(name, mode, opener=self.open_handle)

    def move(self, name: str, folder: Folder, target: str) -> None:
        """Move a file to another folder, where it replaces the target."""
        os.replace(name, target, src_dir_fd=self.handle, dst_dir_fd=folder.handle)

    def unlink(self, name: str) -> None:
        """Remove a file or a link, if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.handle)

    def sync(self) -> None:
        """Write the entries to the disk, where the file system can."""
        with suppress(OSError):
            os.fsync(self.handle)


def not_regular(path: str) -> OSError:
    """Return the error of a folder, a pipe or a device in the place of a file, which can't be compared or replaced."""
    return OSError(errno.EINVAL, "not a regular file", path)
