"""Read options of `accelerate launch` as launch.accelerate."""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import ParsedOption
from trainc.launchers.accelerate.options import BY_NAME, CONFIG_FILE, DEEPSPEED, FSDP, PARALLELISM, AccelerateOption
from trainc.launchers.find_launchers import Call
from trainc.launchers.option_fields import (
    Options,
    Unsupported,
    option_span,
    option_text,
    option_value,
    parse_number,
)
from trainc.record import Record
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.shared.reader.injected_env import RANK_MARK, InjectedEnv

_SECTIONS = {"use_fsdp": FSDP, "use_deepspeed": DEEPSPEED, "use_parallelism_config": PARALLELISM}
_WORLD = ("num_machines", "num_processes", "machine_rank", "main_process_ip")
# Options that only say what launch.accelerate always does, or what trainc sets in each pod.
_IMPLIED = ("multi_gpu", "same_network", "deepspeed_multinode_launcher", "deepspeed_hostfile", "help")
# Values with which an option says no more than its absence.
_DEFAULTS = {"gpu_ids": "all", "mixed_precision": "no", "dynamo_backend": "no", "rdzv_backend": "static"}
_MODES = ("multi_gpu", "use_fsdp", "use_deepspeed")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class AccelerateFields(Record):
    """Fields of launch.accelerate but for the number of processes, and the kind of the program."""

    section: dict[str, Any]
    kind: str


def read_accelerate(call: Call, injected: InjectedEnv) -> tuple[dict[str, Any], str] | None:
    """Return the fields and the kind of the program; None if an option has none, or contradicts the job."""
    options, workers = call.parsed.options, injected.maximum
    if injected.minimum != workers or any(option.value and not option.value.known for option in options.values()):
        return None
    try:
        fields = read_fields(options)
        machines = _count(options, "num_machines") or 1
        if machines != workers or (workers > 1 and not _is_own_place(options, injected)):
            return None
        count = processes_per_pod(options, workers)
    except ValueError:
        return None
    if count is not None and count != max(1, injected.gpus):
        fields.section["nprocPerNode"] = count
    if fields.section.get("port") in (None, injected.port):
        fields.section.pop("port", None)
    return fields.section, fields.kind


def processes_per_pod(options: Options, workers: int) -> int | None:
    """Return the processes of a machine; None without an option.

    Raises Unsupported for a number that is no multiple of the machines, for several machines without a number, of which
    each would start a part of its GPUs' processes, and for those that would each start one process without a rank.
    """
    count = _count(options, "num_processes")
    if count is not None and (count < workers or count % workers):
        raise Unsupported
    has_mode = any(name in options for name in _MODES)
    if workers > 1 and (count is None or (count == workers and not has_mode)) and "config_file" not in options:
        raise Unsupported
    return count and count // workers


def read_fields(options: Options) -> AccelerateFields:
    """Return the fields of the options that don't differ between the machines. Raises ValueError."""
    section: dict[str, Any] = {}
    others: list[Text] = []
    kind = "python"
    sections = {field for name, field in _SECTIONS.items() if name in options}
    for field in sorted(sections, key=list(_SECTIONS.values()).index):
        section[field.rpartition(".")[2]] = {}
    for name, option in options.items():
        row, text = BY_NAME[name], option_text(options, name)
        if name in (*_WORLD, *_IMPLIED, *_SECTIONS) or text == _DEFAULTS.get(name, ""):
            continue
        if row.field.startswith("run."):
            kind = row.key
        elif name == "config_file":
            if text == CONFIG_FILE:
                continue  # trainc's own
            if not sections.isdisjoint((FSDP, DEEPSPEED)) or "multi_gpu" in options:
                raise Unsupported  # whose type the file's replaces
            section["configFile"] = Text(text or "", option_span(option))
        elif row.field:
            _set(section, row, option)
        elif row.instead and not (name == "rdzv_backend" and text == "c10d" and "max_restarts" in options):
            raise Unsupported
        elif not row.instead:
            value = "" if text is None else f"={text}"
            others.append(Text(f"--{name}{value}", option_span(option)))
    return AccelerateFields(section=section | ({"otherArgs": others} if others else {}), kind=kind)


def _set(section: dict[str, Any], row: AccelerateOption, option: ParsedOption) -> None:
    parent, _, key = row.field.removeprefix("launch.accelerate.").rpartition(".")
    if parent and parent not in section:
        raise Unsupported  # without its switch it has no effect, or a file is the switch
    target = section[parent] if parent else section
    target[Text(key, option_span(option))] = _value(row, option)


def _value(row: AccelerateOption, option: ParsedOption) -> Any:
    text, where = option.text or "", option_span(option)
    if row.is_flag:
        if text.lower() not in ("true", "false"):
            raise Unsupported
        return Scalar(text.lower() == "true", text.lower(), where)
    choices = row.schema.get("enum", ())
    if choices and text not in map(str, choices):
        raise Unsupported
    return Scalar(int(text), text, where) if choices and isinstance(choices[0], int) else option_value(row.kind, option)


def _is_own_place(options: Options, injected: InjectedEnv) -> bool:
    """Return whether each worker passes its own rank, and all the address of the first."""
    host = option_text(options, "main_process_ip") or ""
    is_first = host in injected.hosts + injected.unannounced_hosts and host not in _LOOPBACK
    return option_text(options, "machine_rank") == RANK_MARK and is_first


def _count(options: Options, name: str) -> int | None:
    text = option_text(options, name)
    return None if text is None else parse_number(text)
