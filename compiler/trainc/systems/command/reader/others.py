"""Read programs without a launcher, and commands of frameworks, which stay as they are.

launch.basic sets the variables of the world of both.
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.shell import Variables
from trainc.commandline.word import parse_count
from trainc.launchers.find_launchers import Call
from trainc.launchers.frameworks import GPUS, NODES, Framework, FrameworkStart, started_frameworks
from trainc.source.node import Scalar
from trainc.span import Span
from trainc.systems.command.reader.world import Nodes, fixed_nodes, required_nodes
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand

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


def framework_of(command: LaunchCommand) -> Framework | None:
    """Return the framework that a command starts."""
    start: FrameworkStart | None = next(started_frameworks(command.words, command.env), None)
    return start.framework if start is not None else None


def read_framework(
    framework: Framework, command: LaunchCommand, report: CommandReport
) -> tuple[Nodes, dict[str, Any], int | None]:
    """Return the nodes, launch.basic, and the processes of a node, which are its GPUs; None if nothing says them."""
    env, by_kind = command.env, {kind: name for name, kind in framework.variables.items()}
    nodes, processes = by_kind.get(NODES, ""), by_kind.get(GPUS, "")
    value, count = env.get(nodes), _count(env, nodes)
    if value is not None and value.span is not None and not count:
        size = required_nodes(report, f"only the running shell knows {nodes}", value.span)
    else:
        size = fixed_nodes(report, count or 1, (value.span if value else None) or command.span)
    launch: dict[str, Any] = {}
    port, number = env.get("MASTER_PORT"), _count(env, "MASTER_PORT")
    if number and port is not None and port.span is not None:
        launch["port"] = Scalar(number, str(number), port.span)
    return size, launch, _count(env, processes)


def _count(env: Variables, name: str) -> int | None:
    word = env.get(name)
    return parse_count(word.text) if word is not None and word.known else None
