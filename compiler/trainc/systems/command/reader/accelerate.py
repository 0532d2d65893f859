"""Read `accelerate launch`, whose machines become workers of launch.accelerate.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py
"""

from __future__ import annotations

from trainc.commandline.word import parse_count
from trainc.diagnostics.message import Message
from trainc.launchers.accelerate.reader import processes_per_pod, read_fields
from trainc.launchers.accelerate.traits import TRAITS
from trainc.launchers.option_fields import Options
from trainc.launchers.ports import MASTER_PORT
from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.command.reader.launcher_line import CommandParts, LauncherLine, launched
from trainc.systems.command.reader.world import Environment, Nodes, fixed_nodes, required_nodes
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand

# Options that differ between the machines, by the variables that the pods of launch.basic have.
_OF_POD = {"machine_rank": "RANK", "main_process_ip": "MASTER_ADDR", "main_process_port": "MASTER_PORT"}
_OF_MACHINE = ("machine_rank", "main_process_ip")


def read_machines(line: LauncherLine, report: CommandReport) -> Nodes | None:
    """Return the machines; None after an error."""
    where, count = line.where("num_machines"), parse_count(line.text("num_machines"))
    if line.is_unknown("num_machines"):
        return required_nodes(report, "only the running shell knows the number of machines", where)
    if "num_machines" in line.options:
        if not count:
            report.add_error(f"invalid number of machines `{line.text('num_machines')}`", where, expected="a number")
            return None
        return fixed_nodes(report, count, where)
    if "config_file" in line.options and report.settings.get("spec.workers") is None:
        message = "the job has one worker: the file of --config_file is not read"
        report.add_change(message, line.where("config_file"), help=Message("set {spec.workers} to its num_machines"))
    return fixed_nodes(report, 1, where)


def translate_accelerate(
    command: LaunchCommand, line: LauncherLine, nodes: Nodes, report: CommandReport
) -> CommandParts | None:
    """Return the parts with launch.accelerate; None if it can't express the options."""
    options: Options = {
        name: option
        for name, option in line.options.items()
        if name not in (*_OF_MACHINE, "num_machines") and not (name == "main_process_port" and line.is_unknown(name))
    }
    if any(line.is_unknown(name) for name in options):
        return None
    machines = parse_count(line.text("num_machines")) or nodes.most
    try:
        fields, count = read_fields(options), processes_per_pod(options, machines)
    except ValueError:
        return None
    section = fields.section
    for name in _OF_MACHINE:
        if name in line.options and nodes.most > 1:
            report.add_change(f"`--{name}` is left out: trainc sets it in each pod", line.where(name))
    if section.get("port") == MASTER_PORT:
        section.pop("port")
    environment = Environment(command, report, TRAITS.process_variables)
    where = line.where("num_processes")
    environment.request_gpus(count, where, "accelerate starts a process for each")
    environment.ask_for_gpus(line.span)
    if count is not None and count != max(1, environment.pod_gpus):
        section = {Text("nprocPerNode", where): Scalar(count, str(count), where), **section}
    return launched(TRAITS.name, section, fields.kind, nodes, environment, line)


def keep_command(line: LauncherLine, nodes: Nodes, report: CommandReport) -> None:
    """Replace the options that differ between the machines by variables of the pods, for a command that stays."""
    if nodes.most == 1:
        return
    line.replace("num_machines", str(nodes.most))
    for name, variable in _OF_POD.items():
        if name in line.options:
            report.add_change(f"`--{name}` is `$({variable})`: each pod has its own value", line.where(name))
        line.replace(name, f"$({variable})")
