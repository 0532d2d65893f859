"""Limits of a rehearsal's memory and processes by a control group, where this process may create one.

https://docs.kernel.org/admin-guide/cgroup-v2.html
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trainc.rehearse.privileges import ALL_PROCESSES

TOP = Path("/sys/fs/cgroup")
_MEMORY = 0.8  # of this machine's; the rest is for all others
_LIMITS = {
    "memory.max": str(int(_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))),
    "pids.max": str(ALL_PROCESSES),
}


@contextmanager
def limited(process: int, top: Path = TOP) -> Iterator[None]:
    """Limit a process and its children; it must end before the block does."""
    group = top / f"trainc-{process}"
    try:
        _create(group, process)
    except OSError:  # read-only, another version, or controllers that aren't delegated
        _remove(group)
    try:
        yield
    finally:
        _remove(group)


def _create(group: Path, process: int) -> None:
    group.mkdir()
    for name, value in _LIMITS.items():
        with open(group / name, "r+") as file:  # which a missing controller doesn't have
            file.write(value)
    with open(group / "cgroup.procs", "r+") as file:
        file.write(str(process))


def _remove(group: Path) -> None:
    with suppress(OSError):
        group.rmdir()
