"""Read torchrun's options on a foreign command line as fields of launch.torchrun, without trainc's defaults."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from trainc.commandline.argparse import ParsedOption
from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.launchers.find_launchers import Call
from trainc.launchers.option_fields import Options, Unsupported, option_span, option_text, option_value, parse_number
from trainc.launchers.ports import HIGHEST_PORT, host_and_port
from trainc.launchers.torchrun.options import BY_NAME, MODULES, TORCHELASTIC_BACKEND, WORD
from trainc.launchers.torchrun.traits import TORCHELASTIC
from trainc.span import Text, span_of
from trainc.systems.shared.reader.injected_env import RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.report import TranslationReport

# Options that are fields of other sections, or that trainc always sets.
ELSEWHERE = ("nnodes", "nproc_per_node", "standalone", "module", "no_python", "use_env")
RENDEZVOUS = ("rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf", "node_rank", "master_addr", "master_port")
# torchrun's default: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
DEFAULT_BACKEND = "static"
ENDPOINTS = ("PET_RDZV_ENDPOINT", "PET_MASTER_ADDR")
LOOPBACK = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?|0\.0\.0\.0")


def read_torchrun(call: Call, injected: InjectedEnv, report: TranslationReport) -> dict[str, Any] | None:
    """Return the fields; None if an option contradicts the job, is unknown before run time, or has no field."""
    options = call.parsed.options
    if any(option.value is not None and not option.value.known for option in options.values()):
        return None
    # Without --use_env launch.py gives each process a --local-rank: torch/distributed/launch.py
    if call.launcher == "torch.distributed.launch" and "use_env" not in options:
        return None
    several = injected.maximum > 1
    if "nnodes" not in options and not injected.configures_torchrun and several and injected.span is not None:
        message = "the workers train together; the original's torchrun has no --nnodes: each worker trains alone"
        report.add_change(message, injected.span)
        message = f"torchrun has no --nnodes: each of the {injected.maximum} workers trains alone"
        fault = error(codes.NODE_COUNT_MISMATCH, message, injected.span, help=f"add --nnodes={injected.maximum}")
        report.faults.append(fault)
    fields = {**_module(call), **injected.launcher_fields}
    try:
        nnodes = option_text(options, "nnodes")
        if nnodes is not None:  # it overrides the variable
            minimum, colon, maximum = nnodes.partition(":")
            if (int(minimum), int(maximum if colon else minimum)) != (injected.minimum, injected.maximum):
                return None
        own = _option_fields(options)
        fields = {**{name: value for name, value in fields.items() if name not in own}, **own}
        if "standalone" in options and several:
            return None
        fields["rendezvous"] = _read_rendezvous(options, injected, report, _default_backend(call))
    except ValueError:  # Unsupported, or not a number
        return None
    return _without_defaults(fields, injected)


def read_torchrun_env(injected: InjectedEnv, call: Call | None, variables: Options) -> dict[str, Any]:
    """Return the fields that variables of the other system and of the pod set, for a torchrun whose options override
    some of them. Raises ValueError for variables that contradict the job."""
    fields = {**injected.launcher_fields, **_option_fields(variables)}
    backend = DEFAULT_BACKEND
    if call is not None:
        fields, backend = {**_module(call), **fields}, _default_backend(call)
    options = call.parsed.options if call is not None else {}
    rendezvous = _read_rendezvous(variables, injected, None, backend)
    if backend != DEFAULT_BACKEND:  # whose endpoint the other system's variables don't have
        own = {name: options[name] for name in RENDEZVOUS if option_text(options, name)}
        with suppress(ValueError):
            rendezvous = _read_rendezvous({**variables, **own}, injected, None, backend)
    fields = _without_defaults({**fields, "rendezvous": rendezvous}, injected)
    overridden = [BY_NAME[name].key for name in ("nproc_per_node", "max_restarts") if option_text(options, name)]
    if injected.counts_processes:  # the other system computes WORLD_SIZE from its own number
        overridden = [name for name in overridden if name != BY_NAME["nproc_per_node"].key]
    return {name: value for name, value in fields.items() if name not in overridden}


def _module(call: Call) -> dict[str, Any]:
    """Return the fields of the module that starts; torchelastic counts the processes by default."""
    name = call.name.text
    assert call.name.span is not None
    fields: dict[str, Any] = {Text("module", call.name.span): name} if name in MODULES else {}
    return {"nprocPerNode": "auto", **fields} if name == TORCHELASTIC else fields


def _default_backend(call: Call) -> str:
    return TORCHELASTIC_BACKEND if call.name.text == TORCHELASTIC else DEFAULT_BACKEND


def _without_defaults(fields: dict[str, Any], injected: InjectedEnv) -> dict[str, Any]:
    """Return the fields without trainc's defaults: a process per GPU, no restarts, no rendezvous of a single pod."""
    fields = {name: value for name, value in fields.items() if value not in (None, {}, [])}
    key = next((name for name in fields if name == "nprocPerNode"), "nprocPerNode")
    processes = str(fields.pop("nprocPerNode", injected.variables.get("PET_NPROC_PER_NODE", 1)))
    default = str(max(1, injected.gpus))
    if processes not in ((default, "auto", "gpu") if injected.gpus else (default,)):
        fields = {key: processes if parse_count(processes) is None else int(processes), **fields}
    is_elastic = injected.minimum != injected.maximum
    may_be_default = not is_elastic and fields.get("module") != TORCHELASTIC  # of which 0 is not the default
    if fields.get("maxRestarts") == 0 and may_be_default:
        fields.pop("maxRestarts")
    if injected.maximum == 1 and not fields.get("rendezvous"):
        fields.pop("standalone", None)
    return fields


def _option_fields(options: Options) -> dict[str, Any]:
    """Return the fields of the options, without those of the rendezvous. Raises ValueError."""
    fields: dict[str, Any] = {}
    for name, option in options.items():
        if name == "role" and option_text(options, name) == "":
            continue  # TorchX passes an empty name, for which no field has a use
        if name not in (*ELSEWHERE, *RENDEZVOUS):
            field, value = _field(name, option)
            fields[Text(field, option_span(option))] = value
    processes = option_text(options, "nproc_per_node")
    if processes is not None:
        key = Text("nprocPerNode", option_span(options["nproc_per_node"]))
        fields[key] = processes if re.fullmatch(WORD, processes) else parse_number(processes)
    if "standalone" in options:
        fields["standalone"] = True
    return fields


def is_expressible(name: str, option: ParsedOption) -> bool:
    """Return whether an option alone has fields, which may still contradict the job."""
    try:
        _option_fields({name: option})
        if name == "rdzv_conf":
            _parse_conf(option.text or "")
    except ValueError:
        return False
    return name not in ("nnodes", "node_rank")


def _field(name: str, parsed: ParsedOption) -> tuple[str, Any]:
    option = BY_NAME.get(name)
    if option is None or not option.field.startswith("launch."):
        raise Unsupported
    if name == "local_addr":  # addresses are known in the pod only
        raise Unsupported
    return option.key, option_value(option.kind, parsed)


def _read_rendezvous(
    options: Options, injected: InjectedEnv, report: TranslationReport | None, default: str
) -> dict[str, Any]:
    """Return the fields of the rendezvous; options override the injected variables. Raises Unsupported."""
    variables: dict[str, Any] = injected.launcher_fields.get("rendezvous") or {}
    names = ("backend", "endpoint", "port", "id", "conf")
    fields = {name: variables[name] for name in names if variables.get(name)}
    for option, name in (("rdzv_backend", "backend"), ("rdzv_id", "id")):
        if text := option_text(options, option):
            where = span_of(fields.get(name))
            if report is not None and where is not None and text != fields[name]:
                message = f"`{fields[name]}` has no effect: torchrun's argument `{text}` overrides it"
                report.add_change(message, where)
            fields[name] = Text(text, option_span(options[option]))
    if conf := option_text(options, "rdzv_conf"):
        fields["conf"] = _parse_conf(conf)
    backend = fields.setdefault("backend", default)
    if endpoint := option_text(options, "rdzv_endpoint"):
        host, port = host_and_port(endpoint, 0)
        stated = endpoint.rpartition(":")[2]
        if stated.isdecimal() and stated.isascii() and int(stated[:9]) > HIGHEST_PORT:
            raise Unsupported
        if not _is_first_worker(host, injected):
            fields["endpoint"] = Text(endpoint, option_span(options["rdzv_endpoint"]))
            fields.pop("port", None)
        else:  # trainc's default
            fields.pop("endpoint", None)
            if port and port != injected.port and injected.maximum > 1:
                fields["port"] = port
    if backend == "static":
        _read_static(options, fields, injected, report)
    is_local = "endpoint" not in fields and fields["backend"] in (DEFAULT_BACKEND, "c10d")
    if injected.maximum == 1 and is_local:
        return {}
    may_restart = injected.minimum != injected.maximum or injected.launcher_fields.get("maxRestarts")
    implied = "static" if injected.host_network and not may_restart else "c10d"
    if fields["backend"] == (default if default != DEFAULT_BACKEND else implied):
        fields.pop("backend")
    return fields


def _read_static(
    options: Options, fields: dict[str, Any], injected: InjectedEnv, report: TranslationReport | None
) -> None:
    rank = option_text(options, "node_rank")
    if rank and rank != RANK_MARK and not (injected.maximum == 1 and rank == "0"):
        raise Unsupported
    if option_text(options, "rdzv_endpoint"):  # torchrun ignores the address then
        return
    host, port = option_text(options, "master_addr"), option_text(options, "master_port")
    if port and not 0 < (parse_count(port) or 0) <= HIGHEST_PORT:
        raise Unsupported
    if port and int(port) != injected.port:
        fields["port"] = int(port)
    if host and not _is_first_worker(host, injected):
        fields["endpoint"] = f"{host}:{port}" if port else host
        fields.pop("port", None)
    has_host = host or (injected.hosts and injected.configures_torchrun) or fields.get("endpoint")
    if not has_host and injected.maximum > 1 and not injected.elastic:
        fields["backend"] = "c10d"
        if report is not None and injected.span is not None:
            message = "the rendezvous is at worker 0; the original's torchrun has no endpoint: each node waits alone"
            report.add_change(message, injected.span)
            if injected.variables.keys().isdisjoint(ENDPOINTS):
                message = "torchrun has no rendezvous endpoint: each node waits for the others at its own address"
                fault = error(codes.RENDEZVOUS_MISMATCH, message, injected.span, help=injected.rendezvous_help)
                report.faults.append(fault)


def _is_first_worker(host: str, injected: InjectedEnv) -> bool:
    """Return whether a host is the first worker. Raises Unsupported for a loopback address of several workers."""
    if host in injected.hosts + injected.unannounced_hosts:
        return True
    is_loopback = LOOPBACK.fullmatch(host) is not None
    if is_loopback and injected.maximum > 1:
        raise Unsupported
    return is_loopback


def _parse_conf(text: str) -> dict[str, Any]:
    """Parse `key=value,key=value`: torch/distributed/elastic/rendezvous/utils.py, _parse_rendezvous_config"""
    conf: dict[str, Any] = {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key or not equals or not value:
            raise Unsupported
        number = parse_count(value)
        conf[key] = value if number is None else number
    return conf
