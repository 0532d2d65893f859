"""Commands that a scheduler starts on every node: a launcher once, a program once for each process."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.find_launchers import Call
from trainc.launchers.node_count import node_count
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.command.reader.world import Nodes, fixed_nodes
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand, Tasks

_WORKERS = "spec.workers"
# Variables of a task, and the fields of launch.basic that pass the same as an argument.
TASK_VARIABLES = {
    "SLURM_PROCID": "rank",
    "SLURM_LOCALID": "localRank",
    "SLURM_NTASKS": "worldSize",
    "SLURM_NPROCS": "worldSize",
}


def agrees_with_tasks(call: Call, command: LaunchCommand, report: CommandReport) -> bool:
    """Return whether a launcher fits the nodes and tasks on which it is started; report what does not."""
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


def read_tasks(tasks: Tasks, command: LaunchCommand, report: CommandReport) -> tuple[Nodes, dict[str, Any]]:
    """Return the nodes and launch.basic of a program that is started once for each process."""
    size = report.settings.default(_WORKERS)
    nodes = fixed_nodes(report, 1, size.span if size is not None else command.span)
    launch: dict[str, Any] = {}
    if tasks.count > 1:
        where = tasks.span or command.span
        launch["nprocPerNode"] = Scalar(tasks.count, str(tasks.count), where)
    message = (
        "the processes have RANK, LOCAL_RANK and WORLD_SIZE in place of SLURM_PROCID, SLURM_LOCALID and SLURM_NTASKS"
    )
    if tasks.count > 1 or nodes.most > 1:
        report.add_change(message, command.span)
    port = command.env.get("MASTER_PORT")
    number = parse_count(port.text) if port is not None and port.known else None
    if number and port is not None and port.span is not None:
        launch["port"] = Scalar(number, str(number), port.span)
    return nodes, launch


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
