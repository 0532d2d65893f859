"""Read commands of frameworks, which stay as they are: launch.basic sets the variables of their world."""

from __future__ import annotations

from typing import Any

from trainc.commandline.shell import Variables
from trainc.commandline.word import parse_count
from trainc.launchers.frameworks import GPUS, NODES, Framework, FrameworkStart, started_frameworks
from trainc.source.node import Scalar
from trainc.systems.command.reader.world import Nodes, fixed_nodes, required_nodes
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand


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
