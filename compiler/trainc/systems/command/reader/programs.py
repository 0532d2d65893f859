"""Read programs without a launcher, and commands of frameworks, which stay as they are.

launch.basic sets the variables of the world of both.
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.shell import Variables
from trainc.commandline.word import parse_count
from trainc.launchers.find_launchers import Call
from trainc.launchers.frameworks import GPUS, NODES, Framework, FrameworkStart, started_frameworks
from trainc.launchers.node_count import node_count
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.command.reader.world import Nodes, fixed_nodes, required_nodes
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand

_WORKERS = "spec.workers"
# Commands of a cluster, and the programs that count.
_CLUSTERS = {
    "ray": ("`ray start` starts a node of a cluster and no program", "the program that uses the cluster"),
    "ray job": ("`ray job` needs a cluster that runs already", "the command after `--`"),
}
# Variables of a scheduler's task, and the fields of launch.basic that pass the same as an argument.
TASK_VARIABLES = {
    "SLURM_PROCID": "rank",
    "SLURM_LOCALID": "localRank",
    "SLURM_NTASKS": "worldSize",
    "SLURM_NPROCS": "worldSize",
}


def is_cluster(call: Call, report: CommandReport) -> bool:
    """Return whether a command starts a cluster or submits a job to one, and report what to do instead."""
    if call.launcher not in _CLUSTERS:
        return False
    assert call.name.span is not None
    message, program = _CLUSTERS[call.launcher]
    help_ = f"import {program} alone, and set `launch: {{ray: {{}}}}` in its job file"
    report.add_error(message, call.name.span, help=help_)
    return True


def agrees_with_tasks(call: Call, command: LaunchCommand, report: CommandReport) -> bool:
    """Return whether a launcher fits the nodes and tasks on which a scheduler starts it; report what does not."""
    tasks, size = command.tasks, report.settings.default(_WORKERS)
    if tasks is None:
        return True
    where = call.name.span or command.span
    if tasks.count > 1:
        message = f"srun starts {call.launcher} {tasks.count} times on each node, and each starts processes again"
        report.add_error(message, tasks.span or where, help="start one task per node: --ntasks-per-node=1")
        return False
    nodes, count = node_count(call), size.value if size is not None else 1
    if nodes is not None and not nodes.fewest <= int(count or 1) <= nodes.most:
        message = f"{call.launcher} waits for {nodes.fewest} nodes, but srun starts it on {count}"
        report.add_error(message, nodes.option.flag.span or where)
        return False
    if size is not None and call.grammar.variables and call.option("nnodes") is None:
        message = f"the {count} nodes form one world: without --nnodes each trains alone"
        report.add_change(message, where)
    return True


def read_world(command: LaunchCommand, report: CommandReport) -> tuple[Nodes, dict[str, Any]]:
    """Return the nodes and launch.basic of a program whose processes are started with WORLD_SIZE and RANK."""
    env, span = command.env, command.span
    size, workers = env.get("WORLD_SIZE"), report.settings.count(_WORKERS)
    where = (size.span if size else None) or span
    launch, count = _port(env), _count(env, "WORLD_SIZE")
    if size is None or size.span is None:
        return fixed_nodes(report, 1, span), launch
    if not count:
        return required_nodes(report, "only the running shell knows WORLD_SIZE", where), launch
    if workers and count % workers == 0 and count > workers:
        processes = count // workers
        report.add_change(f"each of the {workers} pods starts {processes} of the {count} processes", where)
        launch = {"nprocPerNode": Scalar(processes, str(processes), where), **launch}
        return fixed_nodes(report, workers, where), launch
    if "LOCAL_RANK" in env or "LOCAL_WORLD_SIZE" in env:
        message = f"the command does not say how many nodes run the {count} processes"
        return required_nodes(report, message, where), launch
    nodes = fixed_nodes(report, count, where)
    report.add_change(f"WORLD_SIZE={count}: the job has {nodes.most} workers with a process each", where)
    return nodes, launch


def read_tasks(command: LaunchCommand, report: CommandReport) -> tuple[Nodes, dict[str, Any]]:
    """Return the nodes and launch.basic of a program that a scheduler starts once for each process."""
    tasks, size = command.tasks, report.settings.default(_WORKERS)
    assert tasks is not None
    nodes = fixed_nodes(report, 1, size.span if size is not None else command.span)
    launch = _port(command.env)
    if tasks.count > 1:
        launch = {"nprocPerNode": Scalar(tasks.count, str(tasks.count), tasks.span or command.span), **launch}
    if tasks.count > 1 or nodes.most > 1:
        message = "the processes have RANK, LOCAL_RANK and WORLD_SIZE"
        report.add_change(f"{message} in place of SLURM_PROCID, SLURM_LOCALID and SLURM_NTASKS", command.span)
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
    name, processes = by_kind.get(NODES, ""), by_kind.get(GPUS, "")
    value, count = env.get(name), _count(env, name)
    if value is not None and value.span is not None and not count:
        nodes = required_nodes(report, f"only the running shell knows {name}", value.span)
    else:
        nodes = fixed_nodes(report, count or 1, (value.span if value else None) or command.span)
    return nodes, _port(env), _count(env, processes)


def rank_arguments(translated: TranslatedCommand, basic: dict[str, Any], report: CommandReport) -> TranslatedCommand:
    """Move arguments like `--rank $SLURM_PROCID` to launch.basic.arguments, which `basic` gets; report other uses."""
    ((kind, words),) = translated.run.items()
    rest: list[Text] = []
    for word in words:
        flag, equals, value = word.rpartition("=") if "=$(" in word else ("", "", word)
        field = TASK_VARIABLES.get(value.removeprefix("$(").removesuffix(")")) if value.startswith("$(") else None
        name = flag if equals else rest[-1] if rest else ""
        if field is None or not name.startswith("-"):
            rest.append(word)
            continue
        if not equals:
            rest.pop()
        basic.setdefault("arguments", {})[field] = Text(name, word.span)
    for word in rest:
        name = next((name for name in TASK_VARIABLES if f"$({name})" in word), None)
        if name is not None and word.span is not None:
            report.require(f"spec.env.{name}", f"no pod has `${name}`", word.span, "VALUE")
    return translated.replace(run={kind: rest})


def _port(env: Variables) -> dict[str, Any]:
    """Return `port` of launch.basic, if a script sets it."""
    port, number = env.get("MASTER_PORT"), _count(env, "MASTER_PORT")
    if not number or port is None or port.span is None:
        return {}
    return {"port": Scalar(number, str(number), port.span)}


def _count(env: Variables, name: str) -> int | None:
    word = env.get(name)
    return parse_count(word.text) if word is not None and word.known else None
