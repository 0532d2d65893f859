"""Read the command line that trainc writes for launch.accelerate."""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import parse
from trainc.commandline.word import parse_count
from trainc.commandline.word import words as parse_words
from trainc.launchers.accelerate.options import grammar
from trainc.launchers.accelerate.reader import read_fields
from trainc.launchers.accelerate.traits import TRAITS
from trainc.launchers.option_fields import option_text
from trainc.span import Text

_START = [TRAITS.command, "launch"]
_ALWAYS = ("num_processes", "main_process_port", "gpu_ids")


def read_own_command(words: list[Text]) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the fields of launch.accelerate, the kind of the program and its words; None for any other command."""
    if words[:2] != _START:
        return None
    parsed = parse(grammar(), parse_words(words[2:]))
    options = parsed.options
    if not parsed.complete or any(name not in options for name in _ALWAYS):
        return None
    try:
        fields = read_fields(options)
    except ValueError:  # changed by hand
        return None
    section, machines = fields.section, parse_count(option_text(options, "num_machines") or "") or 1
    if section.get("port") == 0:  # of an elastic job, whose port is that of the rendezvous
        section.pop("port")
    processes = (parse_count(option_text(options, "num_processes") or "") or 1) // machines
    rest = section.get("otherArgs", [])
    others = [word for word in rest if not word.startswith("--rdzv_conf=")]
    section = {name: value for name, value in section.items() if name != "otherArgs"}
    section |= {"nprocPerNode": processes, **({"otherArgs": others} if others else {})}
    return section, fields.kind, words[len(words) - len(parsed.program) :]
