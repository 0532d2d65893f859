"""Journal of a transaction, by which the next run completes what a killed one began.

A checkout can contain a journal, too. docs/adr/0012-atomic-writes.md has the reasons for what it may name.
"""

from __future__ import annotations

import json
import os
import re

from trainc.cli.writer.staging import DRAFT, JOURNAL, ForeignStagingError, StagingFolder
from trainc.record import Record

_NAME = re.compile(r"[^/.\0][^/\0]*\.(ya?ml|json)")
_MAXIMUM_BYTES = 1 << 26


class Change(Record):
    """Change of a file of the folder: whether it existed before, and whether it stays."""

    number: int
    name: str
    existed: bool
    stays: bool

    @property
    def new(self) -> str:
        """Name of the staged file, which is empty for a removal. It is there until the change is applied."""
        return f"{self.number}.new"

    @property
    def old(self) -> str:
        """Name of the copy of the old file."""
        return f"{self.number}.old"


def may_name(name: str) -> bool:
    """Return whether a journal may name a file."""
    return bool(_NAME.fullmatch(name))


def write_journal(staging: StagingFolder, changes: list[Change]) -> None:
    """Write a journal, which commits the changes."""
    entries = [(change.name, change.existed, change.stays) for change in changes]
    handle = staging.open_handle(DRAFT, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "wb") as file:
        file.write(json.dumps({"folder": os.fstat(staging.handle).st_ino, "changes": entries}).encode())
        file.flush()
        os.fsync(handle)
    staging.move(DRAFT, staging, JOURNAL)
    staging.sync()


def read_journal(staging: StagingFolder, name: str) -> list[Change]:
    """Return the changes of a journal. Raises ForeignStagingError for one that a run in this folder did not write.

    A checkout can contain a journal, but not the inode of the folder that it is checked out to.
    """
    try:
        with staging.open(name) as file:
            journal = json.loads(file.read(_MAXIMUM_BYTES))
        changes = [
            Change(number=number, name=file_name, existed=existed, stays=stays)
            for number, (file_name, existed, stays) in enumerate(journal["changes"])
        ]
        is_own = journal["folder"] == os.fstat(staging.handle).st_ino
        are_flags = all(isinstance(flag, bool) for change in changes for flag in (change.existed, change.stays))
        names = {change.name for change in changes}
        if is_own and are_flags and len(changes) == len(names) and all(map(may_name, names)):
            return changes
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise ForeignStagingError(staging.path)
