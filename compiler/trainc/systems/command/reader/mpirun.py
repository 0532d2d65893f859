"""Read an mpirun command that names hosts, which become workers of launch.mpirun."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.launchers.mpirun.reader import LauncherPodFacts, read_mpirun
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.command.reader.environment import Environment
from trainc.systems.command.reader.launcher_line import LauncherLine
from trainc.systems.command.reader.words import resolve_words
from trainc.systems.command.reader.world import Nodes, fixed_nodes, required_nodes
from trainc.systems.shared.reader.command import TranslatedCommand, split_python
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand

_HOSTFILES = ("hostfile", "machinefile", "default_hostfile")


def names_hosts(line: LauncherLine) -> bool:
    """Return whether the processes run on other machines than this one."""
    hosts = line.text("host")
    is_local = hosts is not None and {each.partition(":")[0] for each in hosts.split(",")} == {"localhost"}
    return any(name in line.options for name in _HOSTFILES) or ("host" in line.options and not is_local)


def translate_mpirun(
    command: LaunchCommand, line: LauncherLine, environment: Environment, report: CommandReport
) -> tuple[Nodes, TranslatedCommand] | None:
    """Return the hosts and the command; None after an error."""
    nodes, slots = _nodes(line, report)
    count = parse_count(line.text("np"))
    if count and count % nodes.most:
        message = f"{count} processes on {nodes.most} workers: every worker has the same number"
        report.add_error(message, line.where("np"))
        return None
    slots = count // nodes.most if count else slots
    start = next(at for at, word in enumerate(command.words) if word is line.call.name)
    pod = LauncherPodFacts(
        workers=nodes.most,
        slots=slots or 1,
        hostfile="",
        implementation="OpenMPI",
        variables=tuple(environment.variables),
        is_root=True,
    )
    mpirun = read_mpirun(resolve_words(command.words[start:], report), pod, report)
    if mpirun is None:
        help_ = "write a job file: `trainc explain launch.mpirun`"
        report.add_error("launch.mpirun can't express this command line", line.span, help=help_)
        return None
    environment.variables |= {name: Scalar(value, value, value.span) for name, value in mpirun.env.items()}
    # The image, not the command's machine, decides who runs mpirun; PATH is the image's, too.
    fields = {name: value for name, value in mpirun.fields.items() if name != "allowRunAsRoot" and value != []}
    if slots:
        fields = {"slotsPerWorker": Scalar(slots, str(slots), line.where("np")), **fields}
    launch: dict[str, Any] = {Text("mpirun", line.span): fields}
    return nodes, TranslatedCommand(launch=launch, run=dict([split_python(mpirun.program)]), env={})


def _nodes(line: LauncherLine, report: CommandReport) -> tuple[Nodes, int | None]:
    """Return the hosts, and their slots if the command has them."""
    name = next((name for name in ("host", *_HOSTFILES) if name in line.options), "")
    where, hosts = line.where(name), line.text("host")
    report.add_change(f"`{line.options[name].flag.text}` is left out: its hosts are the job's workers", where)
    if hosts is None:
        return required_nodes(report, "the command does not name the hosts", where), None
    slots: dict[str, int] = {}
    for host, _, count in (each.partition(":") for each in hosts.split(",")):
        slots[host] = slots.get(host, 0) + (parse_count(count) or 1)
    return fixed_nodes(report, len(slots), where), max(slots.values())
