"""Read the command line that trainc writes for several processes per pod."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.jax.variables import EACH
from trainc.launchers.shared.processes import read_processes
from trainc.span import Text


def read_own_command(words: list[Text]) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the fields of launch.jax, the kind of the program (empty: its words say it) and its words."""
    processes = read_processes(words, EACH)
    return None if processes is None else ({"nprocPerNode": parse_count(processes[0])}, "", processes[2])
