"""Project with a check of its own, which is code."""

from __future__ import annotations

from pathlib import Path

from tests.support.files import write, write_project

_CHECK = """
TRIGGERS = ("always()",)
open({file!r}, "w")


def check(context):
    return iter(())
"""


def add_check_that_writes(folder: Path) -> Path:
    """Make a folder a project with a check; return the file that the check writes when it is loaded."""
    write_project("checks: [checks/]\n", folder)
    write(folder / "checks/writes.py", _CHECK.format(file=str(folder / "mark")))
    return folder / "mark"
