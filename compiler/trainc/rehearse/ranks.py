"""Ranks of a program that isn't the probe, from the environments of its processes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trainc.rehearse.probe import rank_fields


def find_ranks(pids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return the processes with a rank, by id.

    Child processes of a rank inherit its environment; they don't count.
    """
    ranks = {pid: fields for pid in pids if (fields := rank_fields(_environ(pid)))}
    return {pid: fields for pid, fields in ranks.items() if ranks.get(_parent(pid)) != fields}


def _environ(pid: int) -> dict[str, str]:
    try:
        entries = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def _parent(pid: int) -> int:
    try:
        # The name in parentheses may contain any character: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0
