"""A `deepspeed` command of one pod as launch.deepspeed; of several pods each would start a world of its own."""

from __future__ import annotations

from typing import Any

from trainc.launchers.find_launchers import Call
from trainc.launchers.torchrun.reader import parse_number
from trainc.launchers.torchrun.reader_rendezvous import Unsupported
from trainc.systems.shared.reader.injected_env import InjectedEnv

# Options that are part of `run`, or that every single pod has.
FIELDS = ("module", "no_python", "num_nodes", "num_gpus", "no_local_rank", "master_port", "master_addr")
# Switches that go to otherArgs.
OTHERS = ("bind_cores_to_rank", "save_pid", "quiet")


def read_deepspeed(call: Call, world: InjectedEnv) -> dict[str, Any] | None:
    """The fields, None where hosts are named or an option has no field."""
    given = call.parsed.options
    if world.maximum > 1 or any(one.value is not None and not one.value.known for one in given.values()):
        return None
    fields: dict[str, Any] = {}
    others: list[str] = []
    try:
        count = _count(call, "num_gpus")
        if count is not None and count != max(1, world.gpus):
            fields["slotsPerWorker"] = count
        if _count(call, "num_nodes") not in (None, 1):
            return None
        if "no_local_rank" in given:
            fields["localRank"] = False
        if "master_port" in given:
            fields["port"] = _count(call, "master_port")
    except Unsupported:
        return None
    for option in given:
        if option in OTHERS:
            others.append(f"--{option}")
        elif option not in FIELDS:
            return None
    return fields | ({"otherArgs": others} if others else {})


def _count(call: Call, option: str) -> int | None:
    one = call.parsed.options.get(option)
    if one is None or one.value is None or one.value.text == "-1":
        return None
    return parse_number(one.value.text)
