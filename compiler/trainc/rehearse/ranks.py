"""The ranks of a program that doesn't say them: what its processes were told, read from their variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# What each fact is called: by torchrun, else by DeepSpeed's launcher.
_NUMBERS = {
    "rank": ("RANK",),
    "world": ("WORLD_SIZE",),
    "local_rank": ("LOCAL_RANK",),
    "local_world": ("LOCAL_WORLD_SIZE", "LOCAL_SIZE"),
    "node": ("GROUP_RANK", "CROSS_RANK"),
    "restart": ("TORCHELASTIC_RESTART_COUNT",),
}


def find_ranks(processes: Iterable[int]) -> dict[int, dict[str, Any]]:
    """The processes that are a rank, by their ids, with what they were told.

    What a rank has started itself has the same variables, and is none.
    """
    told = {process: rank_fields(_environ(process)) for process in processes}
    known = {process: found for process, found in told.items() if found}
    return {process: found for process, found in known.items() if known.get(_parent(process)) != found}


def rank_fields(env: Mapping[str, str]) -> dict[str, Any]:
    """What a rank's variables tell; nothing of a process that is none."""
    found: dict[str, Any] = {}
    for fact, names in _NUMBERS.items():
        value = next((env[name] for name in names if env.get(name, "").isdecimal()), None)
        if value is not None:
            found[fact] = int(value)
    if "rank" not in found or "world" not in found:
        return {}
    return {**found, "master": env.get("MASTER_ADDR", ""), "port": env.get("MASTER_PORT", "")}


def _environ(process: int) -> dict[str, str]:
    try:
        words = Path(f"/proc/{process}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(word.split("=", 1) for word in words if "=" in word)


def _parent(process: int) -> int:
    try:
        # The name, in parentheses, may have any character in it: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0
