"""Replacement and removal of several files of a folder as one: staged, journaled, then renamed.

A run that is killed before the journal is complete has changed nothing. After it, the next run that writes into the
folder completes the renames. docs/adr/0012-atomic-writes.md has the reasons.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from trainc.cli.signals import stop_if_signaled
from trainc.cli.writer.folder import Folder, not_regular
from trainc.cli.writer.journal import Change, may_name, read_journal, write_journal
from trainc.cli.writer.staging import JOURNAL, ROLLBACK, StagingFolder


class Transaction:
    """New files of one run, and copies of the old ones unless it is about a single file."""

    def __init__(self, folder: Folder, is_single: bool) -> None:
        self.folder = folder
        self.staging = StagingFolder(folder.path)
        self._is_single = is_single
        self._changes: list[Change] = []

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

    def stage(self, name: str, text: bytes) -> None:
        """Stage the new text of a file, with a copy of the old one, unless they are equal."""
        old = self.folder.state(name)
        if old and not stat.S_ISREG(old.st_mode):
            raise not_regular(os.path.join(self.folder.path, name))
        if not self._is_single and not may_name(name):  # through a link
            raise OSError(errno.EPERM, "the link leads to a file that is not *.yaml, *.yml or *.json")
        if not old or old.st_size != len(text) or not self._has_text(name, text):
            self._stage(name, old, text)

    def stage_removal(self, name: str) -> None:
        """Stage the removal of a file, with a copy of it."""
        if old := self.folder.state(name):
            self._stage(name, old, None)

    def _stage(self, name: str, old: os.stat_result | None, text: bytes | None) -> None:
        change = Change(number=len(self._changes), name=name, existed=old is not None, stays=text is not None)
        with self.staging.open(change.new, "xb") as file:
            if text is not None:
                file.write(text)
                if old:
                    with suppress(PermissionError):  # vfat has no modes
                        os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
        if old and not self._is_single:
            self._copy(change, old.st_mode)
        self._changes.append(change)

    def _copy(self, change: Change, mode: int) -> None:
        with (
            suppress(PermissionError),  # not readable: it is moved before it is replaced
            self.folder.open(change.name) as source,
            self.staging.open(change.old, "xb") as target,
        ):
            shutil.copyfileobj(source, target)
            os.fchmod(target.fileno(), stat.S_IMODE(mode))

    def commit(self) -> None:
        """Replace the files. Raises OSError after all old files are restored."""
        for change in self._changes:
            stop_if_signaled()
            with self.staging.open(change.new) as file:
                os.fsync(file.fileno())
        if len(self._changes) > 1:  # a single rename needs no journal
            write_journal(self.staging, self._changes)
        self._apply()

    def _apply(self) -> None:
        is_journaled, name = len(self._changes) > 1, ""
        try:
            for change in self._changes:
                name = change.name
                if not self.staging.has(change.new):  # done by the run that was killed
                    continue
                if is_journaled and self.folder.has(name) and not self.staging.has(change.old):
                    self.folder.move(name, self.staging, change.old)
                if change.stays:
                    self.staging.move(change.new, self.folder, name)
                else:
                    self.folder.unlink(name)
                    self.staging.unlink(change.new)
        except OSError as problem:
            if is_journaled:
                self.staging.move(JOURNAL, self.staging, ROLLBACK)
                self._roll_back()
            raise OSError(problem.errno, problem.strerror, os.path.join(self.folder.path, name)) from None
        self.folder.sync()
        self.staging.unlink(JOURNAL)

    def _roll_back(self) -> None:
        for change in self._changes:
            if self.staging.has(change.new) and self.folder.has(change.name) == change.existed:  # not replaced
                continue
            if self.staging.has(change.old):
                self.staging.move(change.old, self.folder, change.name)
            elif not change.existed:
                self.folder.unlink(change.name)
        self.staging.unlink(ROLLBACK)

    def _recover(self) -> None:
        """Complete the renames or the rollback of a killed run, and discard what it staged before them."""
        self.staging.require_own()
        step = next((name for name in (ROLLBACK, JOURNAL) if self.staging.has(name)), None)
        if step:
            self._changes = read_journal(self.staging, step)
            if step == ROLLBACK:
                self._roll_back()
            elif not any(map(self._is_outdated, self._changes)):
                try:
                    self._apply()
                except OSError:
                    if self.staging.has(ROLLBACK):
                        raise
        self.staging.unlink(JOURNAL)  # first: it refers to the others
        self.staging.clear()
        self._changes = []

    def _is_outdated(self, change: Change) -> bool:
        """Return whether a file has changed since the run was killed: its change must not be lost."""
        if not self.staging.has(change.new) or not self.folder.has(change.name):
            return False
        if not change.existed or not self.folder.is_regular(change.name):
            return True
        if not self.staging.has(change.old):
            return False
        with self.staging.open(change.old) as file:
            return not self._has_text(change.name, file.read())

    def _has_text(self, name: str, text: bytes) -> bool:
        try:
            with self.folder.open(name) as file:
                return file.read() == text
        except PermissionError:
            return False
