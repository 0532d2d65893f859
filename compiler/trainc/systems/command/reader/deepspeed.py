"""Read the `deepspeed` command and its per-node launcher, whose hosts become workers.

https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, and launch.py next to it
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from typing import Any

from trainc.commandline.word import parse_count
from trainc.diagnostics.message import Message
from trainc.launchers.deepspeed.options import OPTIONS
from trainc.record import Record
from trainc.source.node import Scalar
from trainc.span import Span, Text
from trainc.systems.command.reader.launcher_line import LauncherLine
from trainc.systems.command.reader.world import Nodes, fixed_nodes, required_nodes
from trainc.systems.shared.reader.launch_command import CommandReport

_ROWS = {row.name: row for row in OPTIONS}
_HOSTS = ("hostfile", "include", "exclude", "num_nodes", "num_gpus", "world_info")
_KINDS = {"module": "module", "no_python": "exec"}


class Hosts(Record):
    """Nodes, and the processes on each; None if the command does not say their number."""

    nodes: Nodes
    slots: int | None
    slots_span: Span


def read_hosts(line: LauncherLine, report: CommandReport) -> Hosts | None:
    """Return the hosts of the options, which are removed; None after an error."""
    name = next((name for name in ("world_info", "include") if name in line.options), "")
    where = line.where(name or "hostfile")
    slots_span = line.where(name or "num_gpus")
    gpus, unknown = line.text("num_gpus"), [name for name in _HOSTS if line.is_unknown(name)]
    slots = (parse_count(gpus) or None) if gpus != "-1" else None
    if gpus is not None and slots is None and gpus != "-1":
        report.add_error(f"invalid number of GPUs `{gpus}`", slots_span, expected="--num_gpus 8")
        return None
    number = parse_count(line.text("num_nodes"))
    if name and name not in unknown:
        parse = _world_info if name == "world_info" else _inclusion
        hosts = parse(line.text(name) or "")
        if hosts is None or len(set(map(len, hosts.values()))) > 1:
            message = f"`--{name}` names hosts with different slots, or none: every worker has the same"
            report.add_error(message, where, help="pass --num_nodes and --num_gpus")
            return None
        slots = len(next(iter(hosts.values()))) or slots
        nodes = fixed_nodes(report, len(hosts), where)
        report.add_change(f"`--{name}` is left out: its hosts are the job's workers", where)
    elif number:
        nodes = fixed_nodes(report, number, line.where("num_nodes"))
    elif unknown or {"hostfile", "exclude"} & line.options.keys():
        unclear = next(iter(unknown), "exclude" if "exclude" in line.options else "hostfile")
        nodes = required_nodes(report, "the command does not name the hosts", line.where(unclear))
    else:
        if report.settings.get("spec.workers") is None:
            message = "the job has one worker: deepspeed uses one node without a hostfile"
            report.add_change(message, line.span, help=Message("set {spec.workers} if /job/hostfile names hosts"))
        nodes = fixed_nodes(report, 1, line.span)
    if "hostfile" in line.options:
        report.add_change("`--hostfile` is left out: trainc starts the processes in each pod", line.where("hostfile"))
    for each in _HOSTS:
        line.options.pop(each, None)
    return Hosts(nodes=nodes, slots=slots, slots_span=slots_span)


def _inclusion(text: str) -> dict[str, list[int]] | None:
    """Parse `host:0,2@other`: parse_resource_filter of runner.py."""
    hosts: dict[str, list[int]] = {}
    for part in text.split("@"):
        host, colon, numbers = part.strip().partition(":")
        slots = [parse_count(number) for number in numbers.split(",")] if colon else []
        known = [slot for slot in slots if slot is not None]
        if not host or len(known) < len(slots):
            return None
        hosts[host] = known
    return hosts


def _world_info(text: str) -> dict[str, list[int]] | None:
    """Decode the hosts and slots that the `deepspeed` command passes on: encode_world_info of runner.py."""
    try:
        hosts = json.loads(urlsafe_b64decode(text))
    except (ValueError, RecursionError):
        return None
    is_valid = isinstance(hosts, dict) and hosts and all(isinstance(slots, list) for slots in hosts.values())
    return hosts if is_valid else None


def translate_options(line: LauncherLine, hosts: Hosts, gpus: int, report: CommandReport) -> tuple[dict[str, Any], str]:
    """Return the fields of launch.deepspeed, and the kind of program."""
    fields: dict[str, Any] = {}
    others: list[Text] = []
    kind = "python"
    if hosts.slots is not None and hosts.slots != max(1, gpus):
        fields["slotsPerWorker"] = Scalar(hosts.slots, str(hosts.slots), hosts.slots_span)
    for name in line.options:
        row, where, text = _ROWS[name], line.where(name), line.text(name)
        if name in _KINDS:
            kind = _KINDS[name]
        elif name == "no_local_rank":
            fields["localRank"] = Scalar(False, "false", where)
        elif row.unsupported:
            report.add_error(f"`--{name}` is not supported: {row.unsupported}", where, help="remove it")
        elif name == "master_port" and parse_count(text):
            fields["port"] = Scalar(parse_count(text), text or "", where)
        elif name == "autotuning" and text:
            message = "the autotuner connects to the workers by ssh and needs a key"
            report.require("spec.launch.deepspeed.sshSecret", message, where, "SECRET")
            fields |= {"transport": "ssh", "autotune": Text(text, where)}
        elif row.direct and not line.is_unknown(name):
            others += [Text(f"--{name}", where), *([Text(text, where)] if text is not None else [])]
        else:
            report.add_change(f"`--{name}` is left out: trainc starts the processes in each pod, without ssh", where)
    return fields | ({"otherArgs": others} if others else {}), kind
