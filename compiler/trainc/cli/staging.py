"""Hidden folder for the files that one run stages, with a lock."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from contextlib import suppress

from trainc.cli.signals import stop_if_signaled

STAGING = ".trainc-"  # and the user's id
_LOCK = "lock"


class StagingFolder:
    """Folder inside the one to write to, and so on its file system."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, f"{STAGING}{os.geteuid()}")

    def at(self, name: str) -> str:
        """Return the path of a staged file."""
        return os.path.join(self.path, name)

    def has(self, name: str) -> bool:
        """Return whether there is a staged file."""
        return os.path.exists(self.at(name))

    def lock(self, wait: bool) -> int | None:
        """Create the folder and return its open lock, or None, without `wait`, while another run has it."""
        while True:
            try:
                os.mkdir(self.path, 0o700)
            except FileExistsError:
                self._require_owner()
            try:
                lock = os.open(self.at(_LOCK), os.O_RDWR | os.O_CREAT, 0o600)
            except FileNotFoundError:  # the run that had it has just ended
                continue
            except OSError:
                with suppress(OSError):
                    os.rmdir(self.path)
                raise
            if _is_locked(lock) and self._is_lock(lock):
                return lock
            os.close(lock)
            if not wait:
                return None
            stop_if_signaled()
            time.sleep(0.02)

    def clear(self) -> None:
        """Remove all files but the lock."""
        for name in os.listdir(self.path):
            if name != _LOCK:
                os.unlink(self.at(name))

    def remove(self, lock: int) -> None:
        """Remove the folder, and release its lock."""
        self.clear()
        os.unlink(self.at(_LOCK))
        os.close(lock)  # until then, NFS keeps a file in the folder
        with suppress(OSError):  # another run waits for it
            os.rmdir(self.path)

    def _require_owner(self) -> None:
        """Raise PermissionError for a folder of another user, whose journal is not to be trusted."""
        state = os.lstat(self.path)
        if not stat.S_ISDIR(state.st_mode) or state.st_uid not in (os.geteuid(), os.stat(self.folder).st_uid):
            raise PermissionError(errno.EPERM, f"{self.path} belongs to another user: remove it")

    def _is_lock(self, lock: int) -> bool:
        """Return whether an open lock is still in the folder."""
        try:
            return os.path.samestat(os.fstat(lock), os.stat(self.at(_LOCK)))
        except FileNotFoundError:
            return False


def sync(path: str) -> None:
    """Write a file's content to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: str) -> None:
    """Write a folder's entries to the disk, where the file system can."""
    with suppress(OSError):
        sync(path)


def _is_locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True
