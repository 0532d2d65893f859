"""torchrun's options as fields of launch.torchrun, less those that say what trainc says anyway."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainc.commandline.argparse import Given
from trainc.launchers.find_launchers import Call
from trainc.launchers.option import Kind
from trainc.launchers.torchrun.options import BY_NAME, COUNTED
from trainc.launchers.torchrun.reader_rendezvous import Unsupported, read_rendezvous
from trainc.span import Span, Text
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.report import TranslationReport, parse_count

# Options that are fields of other sections, or that trainc always sets.
ELSEWHERE = ("nnodes", "nproc_per_node", "standalone", "module", "no_python", "use_env")
RENDEZVOUS = ("rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf", "node_rank", "master_addr", "master_port")


def read_torchrun(call: Call, world: InjectedEnv, report: TranslationReport) -> dict[str, Any] | None:
    """The fields; None when an option contradicts the job, isn't known before it runs, or has no field."""
    given = call.parsed.options
    if any(one.value is not None and not one.value.known for one in given.values()):
        return None
    # Without --use_env launch.py gives each process a --local-rank: torch/distributed/launch.py
    if call.launcher == "torch.distributed.launch" and "use_env" not in given:
        return None
    if not _same_world(given.get("nnodes"), world):
        return None
    if "nnodes" not in given and not world.configures_torchrun and world.maximum > 1 and world.span is not None:
        message = "nothing tells torchrun of the other workers, and each would train for itself"
        report.add_change(f"{message}; with trainc they train together", world.span)
    fields = dict(world.launcher_fields)
    try:
        for option, one in given.items():
            if option not in (*ELSEWHERE, *RENDEZVOUS):
                name, value = _field(option, one)
                fields[Text(name, _span(one))] = value
        _processes(given.get("nproc_per_node"), fields)
        if "standalone" in given:
            if world.maximum > 1:
                return None
            fields["standalone"] = True
        fields["rendezvous"] = read_rendezvous(given, world, report)
    except Unsupported:
        return None
    return without_defaults(fields, world)


def read_torchrun_env(world: InjectedEnv, call: Call | None) -> dict[str, Any]:
    """What the variables say, for a torchrun that stays on the command line and may say it better."""
    fields = without_defaults({**world.launcher_fields, "rendezvous": read_rendezvous({}, world, None)}, world)
    if call is not None:
        for option, name in (("nproc_per_node", "nprocPerNode"), ("max_restarts", "maxRestarts")):
            if option in call.parsed.options:
                fields.pop(name, None)
    return fields


def without_defaults(fields: dict[str, Any], world: InjectedEnv) -> dict[str, Any]:
    """Without trainc's defaults: a process for each GPU, no restarts, one pod that meets nobody."""
    fields = {name: value for name, value in fields.items() if value not in (None, {}, [])}
    processes = str(fields.pop("nprocPerNode", 1))
    counted = max(1, world.gpus)
    if processes not in ((str(counted), "auto", "gpu") if world.gpus else (str(counted),)):
        fields = {"nprocPerNode": processes if parse_count(processes) is None else int(processes), **fields}
    if fields.get("maxRestarts") == 0 and world.minimum == world.maximum:  # an elastic job has some by default
        fields.pop("maxRestarts")
    if world.maximum == 1 and not fields.get("rendezvous"):
        fields.pop("standalone", None)
    return fields


def _same_world(given: Given | None, world: InjectedEnv) -> bool:
    """torchrun takes --nnodes over the variable; min:max or one number."""
    if given is None or given.value is None:
        return True
    low, colon, high = given.value.text.partition(":")
    try:
        return (int(low), int(high if colon else low)) == (world.minimum, world.maximum)
    except ValueError:
        return False


def _field(name: str, given: Given) -> tuple[str, Any]:
    """Return the field of an option, and its value by the option's kind."""
    option, value = BY_NAME.get(name), given.value
    if option is None or not option.field.startswith("launch."):
        raise Unsupported
    if option.kind == "switch":
        return option.key, True
    if value is None or name == "local_addr":  # addresses are known in the pod only
        raise Unsupported
    return option.key, _value(option.kind, Text(value.text, _span(given)))


def _value(kind: Kind, text: Text) -> Any:
    read: dict[str, Callable[[Text], Any]] = {
        "count": parse_number,
        "decimal": _decimal,
        # One for all processes, or a list by local rank: torch/distributed/elastic/multiprocessing/api.py, Std.from_str
        "streams": lambda text: parse_number(text) if text.isdecimal() else text,
        "names": lambda text: text.split(","),
        "numbers": lambda text: [parse_number(part) for part in text.split(",")],
        "filters": lambda text: [part.replace("\0", ",") for part in text.replace(",,", "\0").split(",")],
    }
    return read[kind](text) if kind in read else text


def _processes(given: Given | None, fields: dict[str, Any]) -> None:
    if given is None or given.value is None:
        return
    text = given.value.text
    fields["nprocPerNode"] = text if text in COUNTED else parse_number(text)


def parse_number(text: str) -> int:
    """A count; Contradiction for what torchrun itself would not take or trainc has no word for."""
    found = parse_count(text)
    if found is None:
        raise Unsupported
    return found


def _decimal(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Unsupported from None


def _span(given: Given) -> Span:
    span = (given.value.span if given.value else None) or given.flag.span
    assert span is not None
    return span
