"""Read an mpirun command that names hosts, which become workers of launch.mpirun."""

from __future__ import annotations

from typing import Any

from trainc.launchers.mpirun.command import HOSTFILES
from trainc.launchers.mpirun.reader import LauncherPodFacts, read_mpirun
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.command.reader.environment import Environment
from trainc.systems.command.reader.launcher_line import CommandParts, LauncherLine
from trainc.systems.command.reader.mpirun_hosts import read_hosts
from trainc.systems.command.reader.words import resolve_words
from trainc.systems.shared.reader.command import TranslatedCommand, split_python
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand


def names_hosts(line: LauncherLine, report: CommandReport) -> bool:
    """Return whether the processes run on other machines than this one, as on those of a scheduler's allocation."""
    if (report.settings.count("spec.workers") or 1) > 1:
        return True
    hosts = line.text("host")
    is_local = hosts is not None and {each.partition(":")[0] for each in hosts.split(",")} == {"localhost"}
    return any(name in line.options for name in HOSTFILES) or ("host" in line.options and not is_local)


def translate_mpirun(
    command: LaunchCommand, line: LauncherLine, environment: Environment, report: CommandReport
) -> CommandParts | None:
    """Return the parts with launch.mpirun; None after an error."""
    hosts = read_hosts(line, report)
    if hosts is None:
        return None
    nodes, slots = hosts
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
        option = next((name for name in ("np", "npernode", "host") if name in line.options), "")
        fields = {"slotsPerWorker": Scalar(slots, str(slots), line.where(option)), **fields}
        if option:
            report.names["launch.mpirun.slotsPerWorker"] = line.options[option].flag.text
    launch: dict[str, Any] = {Text("mpirun", line.span): fields}
    translated = TranslatedCommand(launch=launch, run=dict([split_python(mpirun.program)]), env={})
    return CommandParts(nodes=nodes, command=translated, environment=environment)
