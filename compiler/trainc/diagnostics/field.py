"""Fields in messages, which have other names in other systems' files and on command lines."""

from __future__ import annotations

from collections.abc import Callable

Names = Callable[[str, str], str | None]


def in_job_file(path: str, shown: str) -> str:
    """Return the name of a field in a message about a job file; Names of other files return None for one they lack."""
    return shown


class Field:
    """Field of a job file in a message: its path without `spec.`, of which a job file's messages show the end.

    It is written as the path with a slash before that end: `lifecycle/backoffLimit`.
    """

    __slots__ = ("path", "shown")

    def __init__(self, reference: str) -> None:
        context, _, self.shown = reference.rpartition("/")
        self.path = f"{context}.{self.shown}".removeprefix(".").removeprefix("spec.")

    def __str__(self) -> str:
        return self.shown
