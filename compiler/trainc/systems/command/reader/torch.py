"""Read torchrun and its modules: nodes, rendezvous and processes per node, which trainc sets itself in each pod.

https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import UNKNOWN, parse_count, parse_int
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.launchers.ports import HIGHEST_PORT, host_and_port
from trainc.launchers.torchrun.options import TORCHELASTIC_BACKEND, TORCHELASTIC_RESTARTS
from trainc.launchers.torchrun.reader import RENDEZVOUS
from trainc.launchers.torchrun.traits import TORCHELASTIC
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.command.reader.launcher_line import LauncherLine
from trainc.systems.command.reader.world import Nodes, fixed_nodes, required_nodes
from trainc.systems.shared.reader.launch_command import CommandReport

# Stands for worker 0 in an endpoint.
WORKER_0 = "worker-0"
_ENDPOINT = "spec.launch.torchrun.rendezvous.endpoint"
_MANAGED = "spec.launch.torchrun.rendezvous.managed"
_PROCESSES = "spec.launch.torchrun.nprocPerNode"


def read_nodes(line: LauncherLine, report: CommandReport) -> Nodes | None:
    """Return the nodes of --nnodes, which is removed; None with an error if torchrun rejects it."""
    where, text = line.where("nnodes"), line.text("nnodes")
    is_unknown, option = line.is_unknown("nnodes"), line.options.pop("nnodes", None)
    if is_unknown:
        return required_nodes(report, "only the running shell knows the number of nodes", where)
    if option is None:
        return fixed_nodes(report, 1, where)
    low, colon, high = (text or "").partition(":")
    fewest, most = (parse_count(each) for each in (low, high if colon else low))
    if fewest is None or most is None or not 0 < fewest <= most:
        report.add_error(f"invalid number of nodes `{text}`", where, expected="a number, or bounds like 1:2")
        return None
    return Nodes(fewest=fewest, most=most, span=where) if fewest < most else fixed_nodes(report, most, where)


def translate_options(line: LauncherLine, nodes: Nodes, devices: int | None, report: CommandReport) -> None:
    """Replace the options that differ between the nodes, and those that trainc sets itself; report each.

    `devices` are the GPUs that a variable names.
    """
    default = TORCHELASTIC_BACKEND if line.call.launcher == "torchelastic" else "static"
    backend = line.text("rdzv_backend") or default
    _report_rejected(line, backend, report)
    is_static = backend == "static" and nodes.fewest < nodes.most
    if line.is_unknown("rdzv_backend"):
        report.require_value("only the running shell knows the rendezvous backend", line.where("rdzv_backend"))
        del line.options["rdzv_backend"]
    if line.is_unknown("rdzv_id") or line.text("rdzv_id") == "":
        _remove(line, "rdzv_id", "each run has its own rendezvous id", report)
    _remove(line, "local_addr", "it differs between the nodes", report)
    if "standalone" in line.options:
        ignored = "--standalone overrides it"
        for name in ("rdzv_endpoint", "master_addr", "master_port", "node_rank"):
            _remove(line, name, ignored, report)
    elif backend in ("static", "c10d"):
        _translate_endpoint(line, backend, nodes, report)
    else:
        for name in ("master_addr", "master_port", "node_rank"):
            _remove(line, name, f"the rendezvous backend {backend} does not use it", report)
        _require_endpoint(line, backend, report)
    if is_static:
        _replace_static(line, nodes, report)
    _translate_processes(line, devices, report)


def rendezvous_variables(line: LauncherLine) -> dict[str, Scalar]:
    """Return the variables of the rendezvous' options, which are removed: trainc sets them for an unchanged command."""
    variables: dict[str, Scalar] = {}
    for name in RENDEZVOUS:
        option, variable = line.options.pop(name, None), line.call.grammar.variables.get(name, "")
        if option is not None and option.text is not None:
            where = (option.value.span if option.value else None) or line.span
            variables[Text(variable, where)] = Scalar(option.text, option.text, where)
    return variables


def finish_launch(launch: dict[str, Any], line: LauncherLine, nodes: Nodes) -> None:
    """Set the launcher's own default, where trainc's is another one, and the positions of the options."""
    if nodes.fewest < nodes.most:
        launch.setdefault("maxRestarts", TORCHELASTIC_RESTARTS if launch.get("module") == TORCHELASTIC else 0)
    processes = launch.get("nprocPerNode")
    if processes is not None:
        launch["nprocPerNode"] = Scalar(processes, str(processes), line.where("nproc_per_node"))
    rendezvous = launch.get("rendezvous") or {}
    for name, option in (("conf", "rdzv_conf"), ("port", "rdzv_endpoint"), ("port", "master_port")):
        if name in rendezvous and option in line.options:
            launch["rendezvous"] = {
                Text(key, line.where(option)) if key == name else key: value
                for key, value in launch["rendezvous"].items()
            }


def _report_rejected(line: LauncherLine, backend: str, report: CommandReport) -> None:
    """Report values of the rendezvous with which torchrun exits.

    https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/utils.py
    """
    for part in (line.text("rdzv_conf") or "").strip().split(","):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if "rdzv_conf" in line.options and not value and line.text("rdzv_conf"):
            message = f"`{key or part}` of --rdzv_conf has no value"
            report.add_error(message, line.where("rdzv_conf"), expected="KEY=VALUE,KEY=VALUE")
            break
    option, uses_address = (
        line.options.get("rdzv_endpoint"),
        backend == "static" and "rdzv_endpoint" not in line.options,
    )
    text = option.value.text if option is not None and option.value is not None else ""
    port = text.rpartition(":")[2] if ":" in text and not text.endswith("]") else "0"
    name = "rdzv_endpoint"
    if uses_address:
        name, port = "master_port", line.text("master_port") or "0"
    number = parse_count(port)
    is_port = number is not None and number <= HIGHEST_PORT
    if "standalone" not in line.options and UNKNOWN not in port and not is_port:
        report.add_error(f"`{port}` of --{name} is not a port: the highest is {HIGHEST_PORT}", line.where(name))


def _translate_endpoint(line: LauncherLine, backend: str, nodes: Nodes, report: CommandReport) -> None:
    """Move the rendezvous to worker 0; its port stays."""
    endpoint = line.options.get("rdzv_endpoint")
    host = "rdzv_endpoint" if endpoint else "master_addr"
    port = _port(line, host)
    if nodes.most > 1 and host not in line.options:
        message = "the rendezvous is at worker 0: the command names no endpoint, so that each node would wait alone"
        report.add_change(message, line.span)
        message = "torchrun has no rendezvous endpoint: each node waits for the others at its own address"
        help_ = "add --rdzv_backend=c10d and --rdzv_endpoint=HOST:PORT"
        report.faults.append(error(codes.RENDEZVOUS_MISMATCH, message, line.span, help=help_))
    elif nodes.fewest < nodes.most and backend == "static":
        message = f"rendezvous backend `static` waits for {nodes.most} nodes: `--nnodes={nodes.fewest}:{nodes.most}`"
        help_ = f"pass --rdzv_backend=c10d{'' if endpoint else ' and --rdzv_endpoint=HOST:PORT'}"
        where = line.where("rdzv_backend")
        report.faults.append(error(codes.LAUNCHER_NOT_ELASTIC, f"{message} has no effect", where, help=help_))
    elif nodes.most > 1 and backend == "static" and not endpoint and "node_rank" not in line.options:
        message = f"torchrun has no --node_rank: each of the {nodes.most} nodes has rank 0"
        help_ = "add --node_rank, or --rdzv_backend=c10d and --rdzv_endpoint=HOST:PORT"
        report.faults.append(error(codes.RENDEZVOUS_MISMATCH, message, line.span, help=help_))
    reason = "the rendezvous is at worker 0" if nodes.most > 1 else "a single pod needs no rendezvous"
    _remove(line, "node_rank", "each pod has its own number", report)
    _remove(line, "master_addr", reason, report)
    _remove(line, "rdzv_endpoint", reason, report)
    if line.is_unknown("master_port") or endpoint or backend == "c10d":
        _remove(line, "master_port", "the rendezvous has trainc's port", report)
    if endpoint and port and nodes.most > 1:
        line.options["rdzv_endpoint"] = endpoint
        line.replace("rdzv_endpoint", f"{WORKER_0}:{port}")


def _replace_static(line: LauncherLine, nodes: Nodes, report: CommandReport) -> None:
    """Replace the backend static, which waits for all nodes, by c10d; the port stays.

    https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py
    """
    message = f"the rendezvous backend is c10d: static waits for {nodes.most} nodes, and never for fewer"
    report.add_change(message, line.where("rdzv_backend") if "rdzv_backend" in line.options else nodes.span)
    line.replace("rdzv_backend", "c10d")
    port = line.options.pop("master_port", None)
    if port is not None and port.value is not None and "rdzv_endpoint" not in line.options:
        line.options["rdzv_endpoint"] = port
        line.replace("rdzv_endpoint", f"{WORKER_0}:{port.value.text}")


def _port(line: LauncherLine, name: str) -> int:
    """Return the port of an endpoint, also of `$HOST:29400`; 0 without one."""
    option = line.options.get(name)
    text = option.value.text if option and option.value else ""
    tail = text.rpartition(":")[2]
    return host_and_port(f"host:{tail}", 0)[1] if ":" in text and parse_count(tail) else 0


def _require_endpoint(line: LauncherLine, backend: str, report: CommandReport) -> None:
    if report.settings.get(_MANAGED) is not None:
        _remove(line, "rdzv_endpoint", "the job has an etcd of its own", report)
    elif line.is_unknown("rdzv_endpoint") or not line.text("rdzv_endpoint"):
        message = f"the command does not say where the rendezvous backend {backend} runs"
        report.require(_ENDPOINT, message, line.where("rdzv_endpoint"), "HOST:PORT")
        line.options.pop("rdzv_endpoint", None)


def _translate_processes(line: LauncherLine, devices: int | None, report: CommandReport) -> None:
    """Ask for a number of processes that only the shell knows, and for the GPUs that the processes need."""
    where, text = line.where("nproc_per_node"), line.text("nproc_per_node")
    gpus = devices if report.settings.gpus is None else report.settings.gpus
    if line.is_unknown("nproc_per_node") or text == "":
        if gpus is None:
            report.require(_PROCESSES, "only the running shell knows the number of processes per node", where, "8")
        else:
            report.add_change(f"each pod runs a process per GPU: {max(1, gpus)}", where)
        line.replace("nproc_per_node", str(max(1, gpus or 1)))
    elif text in ("gpu", "xpu") and gpus is None:
        message = "the command does not say how many GPUs a node has"
        report.require("spec.resources.gpu", message, where, "8")
    elif text != "cpu" and devices is None:
        option = line.options.get("nproc_per_node")
        report.ask_for_gpus(where, max(1, parse_int(option.value if option else None) or 1))


def _remove(line: LauncherLine, name: str, reason: str, report: CommandReport) -> None:
    if name in line.options:
        report.add_change(f"`--{name}` is left out: {reason}", line.where(name))
        del line.options[name]
