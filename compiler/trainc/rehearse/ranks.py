"""Ranks of a program that isn't the probe, from the environments of its processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# Variable of each field: torchrun's, else the one of DeepSpeed's launcher.
_NUMBERS = {
    "rank": ("RANK",),
    "world": ("WORLD_SIZE",),
    "local_rank": ("LOCAL_RANK",),
    "local_world": ("LOCAL_WORLD_SIZE", "LOCAL_SIZE"),
    "node": ("GROUP_RANK", "CROSS_RANK"),
    "restart": ("TORCHELASTIC_RESTART_COUNT",),
}


def find_ranks(pids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return the processes with a rank, by id.

    Child processes of a rank inherit its environment; they don't count.
    """
    ranks = {pid: fields for pid in pids if (fields := rank_fields(_environ(pid)))}
    return {pid: fields for pid, fields in ranks.items() if ranks.get(_parent(pid)) != fields}


def rank_fields(env: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a rank's environment; empty for a process without a rank."""
    fields: dict[str, Any] = {}
    for field, names in _NUMBERS.items():
        value = next((env[name] for name in names if env.get(name, "").isdecimal()), None)
        if value is not None:
            fields[field] = int(value)
    if "rank" not in fields or "world" not in fields:
        return {}
    return {**fields, "master": env.get("MASTER_ADDR", ""), "port": env.get("MASTER_PORT", "")}


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
