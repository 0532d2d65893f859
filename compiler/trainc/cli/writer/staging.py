"""Hidden folder for the files that one run stages, with a lock.

A checkout can contain such a folder, so nothing in it is trusted before `lock` and `require_own` have accepted it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import time
from contextlib import ExitStack, suppress

from trainc.cli.signals import stop_if_signaled
from trainc.cli.writer.folder import Folder

STAGING = ".trainc-"  # and the user's id
JOURNAL, ROLLBACK, DRAFT, _LOCK = "journal", "rollback", "draft", "lock"
_STAGED = re.compile(rf"{JOURNAL}|{ROLLBACK}|{DRAFT}|{_LOCK}|\d{{1,9}}\.(new|old)", re.ASCII)


class ForeignStagingError(PermissionError):
    """Staging folder that trainc did not create."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EPERM, "not made by trainc, delete it", path)


class StagingFolder(Folder):
    """Folder inside the one to write to, and so on its file system."""

    def __init__(self, parent: str) -> None:
        self.path = staging_path(parent)
        self._owners = {_user(), os.stat(parent).st_uid}  # vfat: all files have the owner of the folder

    def lock(self) -> int:
        """Create and open the folder, and return its open lock. Raises ForeignStagingError."""
        while (lock := self._try_lock()) is None:
            stop_if_signaled()
            time.sleep(0.02)
        return lock

    def require_own(self) -> None:
        """Raise ForeignStagingError for an entry that trainc does not create."""
        for name in self.names():
            state = self.state(name)
            own = state and (name.endswith(".old") or (state.st_uid in self._owners and state.st_nlink == 1))
            if not own or not _STAGED.fullmatch(name) or not self.is_regular(name):
                raise ForeignStagingError(self.path)

    def clear(self) -> None:
        """Remove all files but the lock."""
        for name in self.names():
            if name != _LOCK:
                self.unlink(name)

    def remove(self, lock: int) -> None:
        """Remove the folder, and release its lock."""
        self.clear()
        self.unlink(_LOCK)
        os.close(lock)  # until then, NFS keeps a file in the folder
        self.close()
        with suppress(OSError):  # another run waits for it
            os.rmdir(self.path)

    def _try_lock(self) -> int | None:
        """Return the open lock; None if another run has it, or has just ended and removed the folder."""
        created = self._create()
        with ExitStack() as cleanup, suppress(FileNotFoundError):
            self._open()
            cleanup.callback(self.close)
            lock = self._open_lock(created)
            cleanup.callback(os.close, lock)
            state = self.state(_LOCK) if _is_locked(lock) else None
            if state and os.path.samestat(os.fstat(lock), state):
                if not stat.S_ISREG(state.st_mode) or not (created or self._is_private(lock)):
                    raise ForeignStagingError(self.path)
                cleanup.pop_all()
                return lock
        return None

    def _create(self) -> bool:
        try:
            os.mkdir(self.path, 0o700)
        except FileExistsError:
            return False
        return True

    def _open(self) -> None:
        try:
            super().__init__(self.path)
        except FileNotFoundError:
            raise
        except OSError:
            raise ForeignStagingError(self.path) from None
        if os.fstat(self.handle).st_uid not in self._owners:
            self.close()
            raise ForeignStagingError(self.path)

    def _open_lock(self, created: bool) -> int:
        private = created or _mode(self.handle) == 0o700
        if not private and not self.is_regular(_LOCK):
            raise ForeignStagingError(self.path)
        try:
            return self.open_handle(_LOCK, os.O_RDWR | (os.O_CREAT if private else 0), 0o600)
        except FileNotFoundError:
            raise
        except OSError as problem:
            with suppress(OSError):
                os.rmdir(self.path)
            if problem.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
                raise ForeignStagingError(self.path) from None
            raise

    def _is_private(self, lock: int) -> bool:
        """Return whether the modes are those that trainc sets. A checkout has others, with the usual umask."""
        return _mode(self.handle) == 0o700 and _mode(lock) == 0o600


def _user() -> int:
    """Return the user's id: the effective one, which Python lacks on WebAssembly."""
    return getattr(os, "geteuid", os.getuid)()


def staging_path(parent: str) -> str:
    """Return the path of the user's staging folder."""
    return os.path.join(parent, f"{STAGING}{_user()}")


def is_unfinished(parent: str) -> bool:
    """Return whether a killed run, or one that still runs, has committed changes to a folder. Opens nothing."""
    return any(os.path.lexists(os.path.join(staging_path(parent), step)) for step in (JOURNAL, ROLLBACK))


def _mode(handle: int) -> int:
    return stat.S_IMODE(os.fstat(handle).st_mode) & 0o777


def _is_locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True
