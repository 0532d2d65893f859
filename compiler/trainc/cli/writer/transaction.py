"""Replacement and removal of several files of a folder as one: staged, journaled, then renamed.

A run that is killed before the journal is complete has changed nothing. After it, the next run that writes into the
folder completes the renames. docs/adr/0012-atomic-writes.md has the reasons, also for what a journal may name.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from trainc.cli.signals import stop_if_signaled
from trainc.cli.writer.folder import Folder
from trainc.cli.writer.staging import DRAFT, JOURNAL, ROLLBACK, ForeignStagingError, StagingFolder

_JOURNALED = re.compile(r"[^/.\0][^/\0]*\.(yaml|json)")
_Change = tuple[str, bool, bool]  # name in the folder, whether there was a file, and whether there will be
_MAXIMUM_JOURNAL = 1 << 26


class Transaction:
    """New files of one run, and copies of the old ones."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.staging = StagingFolder(folder.path)
        self._changes: list[
            tuple[str, bool, bool]
        ] = []  # names in the folder, whether a file was there, and is to stay

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder against other runs of the user, and complete what a killed one left."""
        lock, keep = self.staging.lock(), True
        try:
            self._recover()
            keep = False
            yield
        finally:
            if keep or self.staging.has(JOURNAL) or self.staging.has(ROLLBACK):  # the next run tries again
                os.close(lock)
                self.staging.close()
            else:
                self.staging.remove(lock)

    def stage(self, name: str, text: bytes, copy: bool) -> None:
        """Stage the new text of a file, with a copy of the old one, unless they are equal."""
        number = len(self._changes)
        old = self.folder.state(name)
        if old and not stat.S_ISREG(old.st_mode):
            raise not_regular(os.path.join(self.folder.path, name))
        if copy and not _JOURNALED.fullmatch(name):  # through a link
            raise OSError(errno.EPERM, "the link leads to a file that is not *.yaml or *.json")
        if old and old.st_size == len(text) and self._has_text(name, text):
            return
        with self.staging.open(_new(number), "xb") as file:
            file.write(text)
            if old:
                with suppress(PermissionError):  # vfat has no modes
                    os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
        if old and copy:
            self._copy(name, number, old.st_mode)
        self._changes.append((name, old is not None, True))

    def stage_removal(self, name: str, copy: bool) -> None:
        """Stage the removal of a file, as an empty file, with a copy of the old one."""
        number, old = len(self._changes), self.folder.state(name)
        if old:
            self.staging.open(_new(number), "xb").close()
            if copy:
                self._copy(name, number, old.st_mode)
            self._changes.append((name, True, False))

    def _copy(self, name: str, number: int, mode: int) -> None:
        with (
            suppress(PermissionError),  # not readable: it is moved before it is replaced
            self.folder.open(name) as source,
            self.staging.open(_old(number), "xb") as target,
        ):
            shutil.copyfileobj(source, target)
            os.fchmod(target.fileno(), stat.S_IMODE(mode))

    def commit(self) -> None:
        """Replace the files. Raises OSError after all old files are restored."""
        for number in range(len(self._changes)):
            stop_if_signaled()
            with self.staging.open(_new(number)) as file:
                os.fsync(file.fileno())
        if len(self._changes) > 1:  # a single rename needs no journal
            journal = {"folder": os.fstat(self.staging.handle).st_ino, "changes": self._changes}
            handle = self.staging.open_handle(DRAFT, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "wb") as file:
                file.write(json.dumps(journal).encode())
                file.flush()
                os.fsync(handle)
            self.staging.move(DRAFT, self.staging, JOURNAL)
            self.staging.sync()
        self._apply()

    def _apply(self) -> None:
        target = ""
        try:
            for number, (name, _, stays) in enumerate(self._changes):
                target = name
                if not self.staging.has(_new(number)):  # done by the run that was killed
                    continue
                if len(self._changes) > 1 and self.folder.has(name) and not self.staging.has(_old(number)):
                    self.folder.move(name, self.staging, _old(number))
                if stays:
                    self.staging.move(_new(number), self.folder, name)
                else:
                    self.folder.unlink(name)
                    self.staging.unlink(_new(number))
        except OSError as problem:
            if len(self._changes) > 1:
                self.staging.move(JOURNAL, self.staging, ROLLBACK)
                self._roll_back()
            raise OSError(problem.errno, problem.strerror, os.path.join(self.folder.path, target)) from None
        self.folder.sync()
        self.staging.unlink(JOURNAL)

    def _roll_back(self) -> None:
        for number, (name, existed, _) in enumerate(self._changes):
            if self.staging.has(_new(number)) and self.folder.has(name) == existed:  # not replaced
                continue
            if self.staging.has(_old(number)):
                self.staging.move(_old(number), self.folder, name)
            elif not existed:
                self.folder.unlink(name)
        self.staging.unlink(ROLLBACK)

    def _recover(self) -> None:
        """Complete the renames or the rollback of a killed run, and discard what it staged before them."""
        self.staging.require_own()
        step = next((name for name in (ROLLBACK, JOURNAL) if self.staging.has(name)), None)
        if step:
            self._changes = self._journaled(step)
            if step == ROLLBACK:
                self._roll_back()
            elif not self._is_outdated():
                try:
                    self._apply()
                except OSError:
                    if self.staging.has(ROLLBACK):
                        raise
        self.staging.unlink(JOURNAL)  # first: it refers to the others
        self.staging.clear()
        self._changes = []

    def _journaled(self, step: str) -> list[_Change]:
        """Return the changes of a journal. Raises ForeignStagingError for one that a run in this folder did not write.

        A checkout can contain a journal, but not the inode of the folder that it is checked out to.
        """
        try:
            with self.staging.open(step) as file:
                journal = json.loads(file.read(_MAXIMUM_JOURNAL))
            changes = [(name, existed, stays) for name, existed, stays in journal["changes"]]
            is_own = journal["folder"] == os.fstat(self.staging.handle).st_ino
            names = {name for name, *_ in changes}
            are_flags = all(isinstance(flag, bool) for _, *flags in changes for flag in flags)
            if is_own and are_flags and len(changes) == len(names) and all(map(_JOURNALED.fullmatch, names)):
                return changes
        except (ValueError, TypeError, KeyError, RecursionError):
            pass
        raise ForeignStagingError(self.staging.path)

    def _is_outdated(self) -> bool:
        """Return whether a file has changed since the run was killed: the change must not be lost."""
        for number, (name, existed, _) in enumerate(self._changes):
            if not self.staging.has(_new(number)) or not self.folder.has(name):
                continue
            if not existed or not self.folder.is_regular(name):
                return True
            if self.staging.has(_old(number)) and not self._is_old(name, number):
                return True
        return False

    def _is_old(self, name: str, number: int) -> bool:
        with self.staging.open(_old(number)) as file:
            return self._has_text(name, file.read())

    def _has_text(self, name: str, text: bytes) -> bool:
        try:
            with self.folder.open(name) as file:
                return file.read() == text
        except PermissionError:
            return False


def regular_file(path: str) -> os.stat_result | None:
    """Return the status of a file, None if there is none.

    Raises OSError for a folder, a pipe or a device, which cannot be compared or replaced.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise not_regular(path)
    return status


def not_regular(path: str) -> OSError:
    """Return the error of a folder, a pipe or a device in the place of a file."""
    return OSError(errno.EINVAL, "not a regular file", path)


def _new(number: int) -> str:
    return f"{number}.new"


def _old(number: int) -> str:
    return f"{number}.old"
