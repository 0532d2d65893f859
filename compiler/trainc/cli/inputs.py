"""Files and --set options of a command, read for the driver."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.source.load import MAXIMUM_BYTES, decode
from trainc.span import STDIN, Source, Span

if TYPE_CHECKING:
    from trainc.source.overrides import Override


def parse_overrides(assignments: list[str]) -> list[Override]:
    """Parse the --set options. Raises Rejected for the first invalid one."""
    if not assignments:
        return []
    from trainc.source.overrides import Override

    return [Override(assignment) for assignment in assignments]


def display_names(files: list[str]) -> list[str]:
    """Return the names of files in diagnostics, without duplicates."""
    return [STDIN if name == "-" else name for name in dict.fromkeys(files)]


def read_files(files: list[str], limit: int = MAXIMUM_BYTES) -> tuple[list[Source], list[Diagnostic]]:
    """Return the texts of files, and an error for each file that can't be read or is larger than the limit.

    A file named twice is read once.
    """
    sources: list[Source] = []
    errors: list[Diagnostic] = []
    for name in dict.fromkeys(files):
        try:
            # One byte more tells that there is more: a device or a pipe has no size, and perhaps no end.
            sources.append(decode(STDIN if name == "-" else name, _read(name, limit + 1), limit))
        except OSError as problem:
            start = Span(Source(name, ""), 1, 1, 1, 2)
            message = f"cannot read the file: {(problem.strerror or str(problem)).lower()}"
            errors.append(error(codes.UNREADABLE_FILE, message, start))
        except Rejected as rejected:
            errors += rejected.diagnostics
    return sources, errors


def _read(name: str, size: int) -> bytes:
    if name == "-":
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read(size)
    with open(name, "rb") as file:
        return file.read(size)
