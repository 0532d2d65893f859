"""Read programs without a launcher, and accelerate, which stays in the command line.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.shell import Variables
from trainc.commandline.word import parse_count
from trainc.diagnostics.message import Message
from trainc.launchers.find_launchers import Call
from trainc.source.node import Scalar
from trainc.span import Span
from trainc.systems.command.reader.launcher_line import LauncherLine
from trainc.systems.command.reader.world import Nodes, fixed_nodes, required_nodes
from trainc.systems.shared.reader.launch_command import CommandReport

# Variables of each pod, by accelerate's options that differ between the nodes.
_OF_POD = {"machine_rank": "RANK", "main_process_ip": "MASTER_ADDR", "main_process_port": "MASTER_PORT"}
# Commands of a cluster, and the programs that count.
_CLUSTERS = {
    "ray": ("`ray start` starts a node of a cluster and no program", "the program that uses the cluster"),
    "ray job": ("`ray job` needs a cluster that runs already", "the command after `--`"),
}
# Variables that torch.distributed reads, which every pod has of its own.
OF_PROCESS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


def is_cluster(call: Call, report: CommandReport) -> bool:
    """Return whether a command starts a cluster or submits a job to one, and report what to do instead."""
    if call.launcher not in _CLUSTERS:
        return False
    assert call.name.span is not None
    message, program = _CLUSTERS[call.launcher]
    help_ = f"import {program} alone, and set `launch: {{ray: {{}}}}` in its job file"
    report.add_error(message, call.name.span, help=help_)
    return True


def read_accelerate(line: LauncherLine, report: CommandReport) -> Nodes | None:
    """Return the machines, and replace the options that differ between them by variables of the pods."""
    where, count = line.where("num_machines"), parse_count(line.text("num_machines"))
    if line.is_unknown("num_machines"):
        nodes = required_nodes(report, "only the running shell knows the number of machines", where)
    elif "num_machines" in line.options:
        if not count:
            report.add_error(f"invalid number of machines `{line.text('num_machines')}`", where, expected="a number")
            return None
        nodes = fixed_nodes(report, count, where)
    else:
        if "config_file" in line.options and report.settings.get("spec.workers") is None:
            message = "the job has one worker: the file of --config_file is not read"
            report.add_change(
                message, line.where("config_file"), help=Message("set {spec.workers} to its num_machines")
            )
        nodes = fixed_nodes(report, 1, where)
    if nodes.most == 1:
        return nodes
    line.replace("num_machines", str(nodes.most))
    for name, variable in _OF_POD.items():
        if name in line.options:
            report.add_change(f"`--{name}` is `$({variable})`: each pod has its own value", line.where(name))
        line.replace(name, f"$({variable})")
    return nodes


def read_world(env: Variables, span: Span, report: CommandReport) -> tuple[Nodes, dict[str, Any]]:
    """Return the nodes and launch.basic of a program whose processes are started with WORLD_SIZE and RANK."""
    size, workers = env.get("WORLD_SIZE"), report.settings.count("spec.workers")
    where = (size.span if size else None) or span
    launch: dict[str, Any] = {}
    count = parse_count(size.text) if size is not None and size.known else None
    if size is None or size.span is None:
        nodes = fixed_nodes(report, 1, span)
    elif not count:
        nodes = required_nodes(report, "only the running shell knows WORLD_SIZE", where)
    elif workers and count % workers == 0 and count > workers:
        nodes = fixed_nodes(report, workers, where)
        processes = count // workers
        launch["nprocPerNode"] = Scalar(processes, str(processes), where)
        report.add_change(f"each of the {workers} pods starts {processes} of the {count} processes", where)
    elif "LOCAL_RANK" in env or "LOCAL_WORLD_SIZE" in env:
        nodes = required_nodes(report, f"the command does not say how many nodes run the {count} processes", where)
    else:
        nodes = fixed_nodes(report, count, where)
        report.add_change(f"WORLD_SIZE={count}: the job has {nodes.most} workers with a process each", where)
    port = env.get("MASTER_PORT")
    number = parse_count(port.text) if port is not None and port.known else None
    if number and port is not None and port.span is not None:
        launch["port"] = Scalar(number, str(number), port.span)
    return nodes, launch
