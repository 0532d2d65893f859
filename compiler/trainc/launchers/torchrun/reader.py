"""Read torchrun's options on a foreign command line as fields of launch.torchrun, without trainc's defaults."""

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


def read_torchrun(call: Call, injected: InjectedEnv, report: TranslationReport) -> dict[str, Any] | None:
    """Return the fields; None if an option contradicts the job, is unknown before run time, or has no field."""
    options = call.parsed.options
    if any(option.value is not None and not option.value.known for option in options.values()):
        return None
    # Without --use_env launch.py gives each process a --local-rank: torch/distributed/launch.py
    if call.launcher == "torch.distributed.launch" and "use_env" not in options:
        return None
    if not _has_same_bounds(options.get("nnodes"), injected):
        return None
    several = injected.maximum > 1
    if "nnodes" not in options and not injected.configures_torchrun and several and injected.span is not None:
        message = "the workers train together; the original's torchrun has no --nnodes: each worker trains alone"
        report.add_change(message, injected.span)
    fields = dict(injected.launcher_fields)
    try:
        for name, option in options.items():
            if name not in (*ELSEWHERE, *RENDEZVOUS):
                field, value = _field(name, option)
                fields[Text(field, _span(option))] = value
        processes = options.get("nproc_per_node")
        if processes is not None and processes.value is not None:
            text = processes.value.text
            fields["nprocPerNode"] = text if text in COUNTED else parse_number(text)
        if "standalone" in options:
            if several:
                return None
            fields["standalone"] = True
        fields["rendezvous"] = read_rendezvous(options, injected, report)
    except Unsupported:
        return None
    return without_defaults(fields, injected)


def read_torchrun_env(injected: InjectedEnv, call: Call | None) -> dict[str, Any]:
    """Return the fields that the injected variables set, for a torchrun whose options override some of them."""
    rendezvous = read_rendezvous({}, injected, None)
    fields = without_defaults({**injected.launcher_fields, "rendezvous": rendezvous}, injected)
    if call is not None:
        for option, name in (("nproc_per_node", "nprocPerNode"), ("max_restarts", "maxRestarts")):
            if option in call.parsed.options:
                fields.pop(name, None)
    return fields


def without_defaults(fields: dict[str, Any], injected: InjectedEnv) -> dict[str, Any]:
    """Return the fields without trainc's defaults: a process per GPU, no restarts, no rendezvous of a single pod."""
    fields = {name: value for name, value in fields.items() if value not in (None, {}, [])}
    processes = str(fields.pop("nprocPerNode", 1))
    default = str(max(1, injected.gpus))
    if processes not in ((default, "auto", "gpu") if injected.gpus else (default,)):
        fields = {"nprocPerNode": processes if parse_count(processes) is None else int(processes), **fields}
    is_elastic = injected.minimum != injected.maximum
    if fields.get("maxRestarts") == 0 and not is_elastic:  # the default of an elastic job is not 0
        fields.pop("maxRestarts")
    if injected.maximum == 1 and not fields.get("rendezvous"):
        fields.pop("standalone", None)
    return fields


def _has_same_bounds(nnodes: Given | None, injected: InjectedEnv) -> bool:
    """Return whether --nnodes, a number or min:max, is the number of workers; it overrides the variable."""
    if nnodes is None or nnodes.value is None:
        return True
    minimum, colon, maximum = nnodes.value.text.partition(":")
    try:
        return (int(minimum), int(maximum if colon else minimum)) == (injected.minimum, injected.maximum)
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
    parsers: dict[str, Callable[[Text], Any]] = {
        "count": parse_number,
        "decimal": _parse_decimal,
        # One for all processes, or a list by local rank: torch/distributed/elastic/multiprocessing/api.py, Std.from_str
        "streams": lambda text: parse_number(text) if text.isdecimal() else text,
        "names": lambda text: text.split(","),
        "numbers": lambda text: [parse_number(part) for part in text.split(",")],
        "filters": lambda text: [part.replace("\0", ",") for part in text.replace(",,", "\0").split(",")],
    }
    return parsers[kind](text) if kind in parsers else text


def parse_number(text: str) -> int:
    """Parse a count. Raises Unsupported for text that torchrun rejects or no field can hold."""
    count = parse_count(text)
    if count is None:
        raise Unsupported
    return count


def _parse_decimal(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Unsupported from None


def _span(given: Given) -> Span:
    span = (given.value.span if given.value else None) or given.flag.span
    assert span is not None
    return span
