"""Read a `deepspeed` command of a single pod as launch.deepspeed; with several pods each would start its own world."""

from __future__ import annotations

from typing import Any

from trainc.launchers.find_launchers import Call
from trainc.launchers.option_fields import Unsupported, option_text, parse_number
from trainc.systems.shared.reader.injected_env import InjectedEnv

# Options that are part of `run`, or that every single pod has.
FIELDS = ("module", "no_python", "num_nodes", "num_gpus", "no_local_rank", "master_port", "master_addr")
# Switches that go to otherArgs.
OTHERS = ("bind_cores_to_rank", "save_pid", "quiet")


def read_deepspeed(call: Call, injected: InjectedEnv) -> dict[str, Any] | None:
    """Return the fields; None if an option names hosts or has no field."""
    options = call.parsed.options
    if injected.maximum > 1 or any(option.value and not option.value.known for option in options.values()):
        return None
    if not options.keys() <= {*FIELDS, *OTHERS}:
        return None
    fields: dict[str, Any] = {}
    try:
        processes = _count(call, "num_gpus")
        if processes is not None and processes != max(1, injected.gpus):
            fields["slotsPerWorker"] = processes
        if _count(call, "num_nodes") not in (None, 1):
            return None
        if "no_local_rank" in options:
            fields["localRank"] = False
        if "master_port" in options:
            fields["port"] = _count(call, "master_port")
    except Unsupported:
        return None
    others = [f"--{name}" for name in options if name in OTHERS]
    return fields | ({"otherArgs": others} if others else {})


def _count(call: Call, name: str) -> int | None:
    """Return a count; None for -1, which is the launcher's default."""
    text = option_text(call.parsed.options, name)
    return None if text in (None, "-1") else parse_number(text or "")
