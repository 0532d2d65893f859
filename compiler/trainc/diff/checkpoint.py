"""Checkpoint of a job: the one of its file, or what its program's arguments and variables name."""

from __future__ import annotations

import re

from trainc.checks.storage.no_checkpoint import CHECKPOINT_WORDS
from trainc.plan.plan import Plan
from trainc.record import Record

VARIABLE = "CHECKPOINT_PATH"  # with the path of `checkpoint` in the job file


class Checkpoint(Record):
    """Path of a checkpoint with `is_field`, or else the argument or variable that names one."""

    path: str
    is_field: bool


def checkpoint_of(version: Plan | None, path: str) -> Checkpoint | None:
    """Return the checkpoint of a version of a job; None if nothing names one. `path` is that of the job file."""
    if path:
        return Checkpoint(path=path, is_field=True)
    if version is None or not version.workers:
        return None
    container = version.workers[0].container
    for each in container.env:
        if each.name == VARIABLE and each.value:
            return Checkpoint(path=each.value, is_field=True)
    names = [*container.argv, *(each.name for each in container.env)]
    name = next((each for each in names if re.search(CHECKPOINT_WORDS, each.replace("_", "-"), re.IGNORECASE)), "")
    return Checkpoint(path=name, is_field=False) if name else None
