"""Read the command line that trainc writes for a Ray cluster."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.ray.lower import COMMAND
from trainc.launchers.ray.options import BY_FLAG
from trainc.resources import read_text
from trainc.span import Text

_LENGTH = 9  # of the words before the options
_COUNTS = ("port", "numCpus", "numGpus")


def read_own_command(words: list[Text]) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the fields of launch.ray, the kind of the program (empty if its words say it) and its words."""
    texts = list(map(str, words))
    if (*words[:3],) != COMMAND or texts[3:4] != [read_text("templates", "ray", "cluster.py")]:
        return None
    head = texts.index("--head") if "--head" in texts else 0
    worker = next((at for at, word in enumerate(texts) if at > head and word.startswith("--address=")), 0)
    end = texts.index("--") if "--" in texts else 0
    if not _LENGTH <= head < worker < end:  # changed by hand
        return None
    fields: dict[str, Any] = {"startTimeout": parse_count(words[7]), "statusPort": parse_count(words[8])}
    others = [_read(words[_LENGTH:head], fields), _read(words[head + 1 : worker], fields), words[worker + 1 : end]]
    names = ("otherArgs", "headArgs", "workerArgs")
    fields |= {name: values for name, values in zip(names, others, strict=True) if values}
    return fields, "", words[end + 1 :]


def _read(words: list[Text], fields: dict[str, Any]) -> list[Text]:
    """Set the fields of trainc's own options, and return the others."""
    others = []
    for word in words:
        flag, _, value = word.partition("=")
        option = BY_FLAG.get(flag)
        if option is None or not option.instead:
            others.append(word)
        elif option.key in _COUNTS:
            fields[option.key] = parse_count(value)
        elif option.key == "objectStoreMemory":
            fields[option.key] = value
        elif option.key == "dashboard" and value == "true":
            fields[option.key] = True
    return others
