"""Read the command line that trainc writes for several processes per pod."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.resources import read_text
from trainc.span import Text

_LENGTH = 8  # of the words before the program


def read_own_command(words: list[Text]) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the fields of launch.basic, the kind of the program (empty if its words say it) and its words."""
    if words[:3] != ["python3", "-I", "-c"] or words[3:4] != [read_text("templates", "basic", "processes.py")]:
        return None
    if len(words) < _LENGTH:  # changed by hand
        return None
    count, _, rank, local, *program = words[4:]
    names = {key: name for key, name in (("rank", rank), ("localRank", local)) if name}
    fields: dict[str, Any] = {"nprocPerNode": parse_count(count)}
    return {**fields, "arguments": names} if names else fields, "", program
