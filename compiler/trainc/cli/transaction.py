"""Replacement of several files of a folder as one: staged, journaled, then renamed.

A run that is killed before the journal is complete has changed nothing. After it, the next run that writes into the
folder completes the renames. docs/adr/0012-atomic-writes.md has the reasons.
"""

from __future__ import annotations

import errno
import filecmp
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from trainc.cli.signals import stop_if_signaled
from trainc.cli.staging import StagingFolder, sync, sync_folder

_JOURNAL, _ROLLBACK = "journal", "rollback"


class Transaction:
    """New files of one run, and copies of the old ones."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.staging = StagingFolder(folder)
        self._changes: list[tuple[str, bool]] = []  # paths in the folder, and whether a file was there

    @contextmanager
    def locked(self, wait: bool = True) -> Iterator[None]:
        """Lock the folder against other runs of the user, and complete what a killed one left."""
        lock = self.staging.lock(wait)
        if lock is None:
            yield
            return
        try:
            self._recover()
            yield
        finally:
            if self.staging.has(_JOURNAL) or self.staging.has(_ROLLBACK):  # the next run tries again
                os.close(lock)
            else:
                self.staging.remove(lock)

    def stage(self, name: str, text: bytes, copy: bool) -> None:
        """Stage the new text of a file, with a copy of the old one, unless they are equal."""
        target, number = os.path.join(self.folder, name), len(self._changes)
        old = regular_file(target)
        if old and old.st_size == len(text) and _has_text(target, text):
            return
        with open(self._new(number), "xb") as file:
            file.write(text)
        if old:
            with suppress(PermissionError):  # vfat has no modes
                os.chmod(self._new(number), stat.S_IMODE(old.st_mode))
        if old and copy:
            with suppress(PermissionError):  # not readable: it is moved before it is replaced
                shutil.copy(target, self._old(number))
        self._changes.append((name, old is not None))

    def commit(self) -> None:
        """Replace the files. Raises OSError after all old files are restored."""
        for number in range(len(self._changes)):
            stop_if_signaled()
            sync(self._new(number))
        draft = self.staging.at("draft")
        with open(draft, "x", encoding="utf-8") as file:
            json.dump(self._changes, file)
        sync(draft)
        os.replace(draft, self.staging.at(_JOURNAL))
        sync_folder(self.staging.path)
        self._apply()

    def _apply(self) -> None:
        target = ""
        try:
            for number, (name, _) in enumerate(self._changes):
                target = os.path.join(self.folder, name)
                if not os.path.exists(self._new(number)):  # replaced by the run that was killed
                    continue
                if len(self._changes) > 1 and os.path.exists(target) and not os.path.exists(self._old(number)):
                    os.rename(target, self._old(number))
                os.replace(self._new(number), target)
        except OSError as problem:
            os.replace(self.staging.at(_JOURNAL), self.staging.at(_ROLLBACK))
            self._roll_back()
            raise OSError(problem.errno, problem.strerror, target) from None
        sync_folder(self.folder)
        os.unlink(self.staging.at(_JOURNAL))

    def _roll_back(self) -> None:
        for number, (name, existed) in enumerate(self._changes):
            target = os.path.join(self.folder, name)
            if os.path.exists(self._new(number)) and os.path.lexists(target) == existed:  # not replaced
                continue
            if os.path.exists(self._old(number)):
                os.replace(self._old(number), target)
            elif not existed:
                with suppress(FileNotFoundError):
                    os.unlink(target)
        os.unlink(self.staging.at(_ROLLBACK))

    def _recover(self) -> None:
        """Complete the renames or the rollback of a killed run, and discard what it staged before them."""
        step = next((name for name in (_ROLLBACK, _JOURNAL) if self.staging.has(name)), None)
        if step:
            with open(self.staging.at(step), encoding="utf-8") as file:
                self._changes = [(name, existed) for name, existed in json.load(file)]
            if step == _ROLLBACK:
                self._roll_back()
            elif not self._is_outdated():
                try:
                    self._apply()
                except OSError:
                    if self.staging.has(_ROLLBACK):
                        raise
        with suppress(FileNotFoundError):
            os.unlink(self.staging.at(_JOURNAL))  # first: it refers to the others
        self.staging.clear()
        self._changes = []

    def _is_outdated(self) -> bool:
        """Return whether a file has changed since the run was killed: the change must not be lost."""
        for number, (name, existed) in enumerate(self._changes):
            target, old = os.path.join(self.folder, name), self._old(number)
            if not os.path.exists(self._new(number)) or not os.path.exists(target):
                continue
            if not existed or (os.path.exists(old) and not filecmp.cmp(target, old, shallow=False)):
                return True
        return False

    def _new(self, number: int) -> str:
        return self.staging.at(f"{number}.new")

    def _old(self, number: int) -> str:
        return self.staging.at(f"{number}.old")


def regular_file(path: str) -> os.stat_result | None:
    """Return the status of a file, None if there is none.

    Raises OSError for a folder, a pipe or a device, which cannot be compared or replaced.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    return status


def _has_text(path: str, text: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read() == text
    except PermissionError:
        return False
