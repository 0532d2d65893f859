"""Read the command line that trainc writes for several processes per pod."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.basic.lower import EACH
from trainc.launchers.shared.processes import read_processes
from trainc.span import Text


def read_own_command(words: list[Text]) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the fields of launch.basic, the kind of the program (empty if its words say it) and its words."""
    processes = read_processes(words, EACH)
    if processes is None:
        return None
    count, (rank, local), program = processes
    names = {key: name for key, name in (("rank", rank), ("localRank", local)) if name}
    fields: dict[str, Any] = {"nprocPerNode": parse_count(count)}
    return {**fields, "arguments": names} if names else fields, "", program
