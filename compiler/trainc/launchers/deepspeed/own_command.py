"""Read DeepSpeed's per-node launcher, which trainc starts in every pod, and trainc's own start over ssh."""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import parse
from trainc.commandline.word import parse_count
from trainc.commandline.word import words as parse_words
from trainc.launchers.deepspeed.options import node_grammar
from trainc.launchers.shared.hostfile import parse_world_info
from trainc.launchers.shared.ssh import FOLDER, PYTHON
from trainc.span import Text

NODE_LAUNCHER = ["python3", "-u", "-m", "deepspeed.launcher.launch"]
SSH_LAUNCHER = [*PYTHON, f"{FOLDER}/start.py"]
# Options that are fields, or that every worker has its own value of.
_FIELDS = ("--world_info", "--node_rank", "--master_addr", "--master_port", "--force_multi", "--autotuning")
_FLAGS = {"--module": "module", "--no_python": "exec"}
_END = "--"  # of the options


def read_own_command(words: list[Text]) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the fields of launch.deepspeed, the kind of the program and its words; None for any other command."""
    if words[:4] == NODE_LAUNCHER:
        options, program = _split(words[4:])
        slots = {count for _, count in parse_world_info(_value(options, "--world_info")) or ()}  # equal on all hosts
        kind = next((kind for flag, kind in _FLAGS.items() if flag in options), "python")
        return ({**_fields(options), "slotsPerWorker": slots.pop()}, kind, program) if len(slots) == 1 else None
    if words[:4] == SSH_LAUNCHER and "--" in words[7:]:
        end = list(map(str, words)).index("--")
        port, kind, options = words[5], words[6], words[7:end]
        fields = {**_fields(options), "transport": "ssh", "sshPort": parse_count(port)}
        if kind == "autotune":
            fields["autotune"] = _value(options, "--autotuning")
        return fields, "python" if kind == "autotune" else str(kind), words[end + 1 :]
    return None


def is_idle(words: list[Text]) -> bool:
    """Return whether start.py only runs sshd, in mode debug."""
    return words[:5] == [*SSH_LAUNCHER, "debug"]


def _split(words: list[Text]) -> tuple[list[Text], list[Text]]:
    """Return the options, and the program with its arguments."""
    program = parse(node_grammar(), parse_words(words)).program
    return words[: len(words) - len(program)], words[len(words) - len(program) :]


def _fields(options: list[Text]) -> dict[str, Any]:
    others = [each for each in options if each.partition("=")[0] not in _FIELDS and each not in (*_FLAGS, _END)]
    fields: dict[str, Any] = {"port": parse_count(_value(options, "--master_port"))}
    if "--no_local_rank" in others:
        others.remove(next(each for each in others if each == "--no_local_rank"))
        fields["localRank"] = False
    return {**fields, "otherArgs": others} if others else fields


def _value(options: list[Text], name: str) -> str:
    return next((each.partition("=")[2] for each in options if each.startswith(f"{name}=")), "")
