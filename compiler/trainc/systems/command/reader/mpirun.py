"""Read an mpirun command that names hosts, which become workers of launch.mpirun, with the processes on each.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error
from trainc.launchers.mpirun.command import HOSTFILES
from trainc.launchers.mpirun.placement import Placement, place
from trainc.launchers.mpirun.reader import LauncherPodFacts, read_mpirun
from trainc.source.node import Scalar
from trainc.span import Span, Text
from trainc.systems.command.reader.launcher_line import CommandParts, LauncherLine
from trainc.systems.command.reader.words import resolve_words
from trainc.systems.command.reader.world import Environment, Nodes, fixed_nodes, required_nodes
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
    translated = TranslatedCommand(launch=launch, run=dict([split_python(mpirun.program)]))
    return CommandParts(nodes=nodes, command=translated, environment=environment)


def read_hosts(line: LauncherLine, report: CommandReport) -> tuple[Nodes, int | None] | None:
    """Return the hosts with processes, and the processes on each, None if only the run knows them.

    Return None after an error. `spec.workers` of the user replaces the hosts.
    """
    name = next((name for name in ("host", *HOSTFILES) if name in line.options), "")
    where, slots = line.where(name), _slots(line.text("host"))
    flag = line.options[name].flag.text if name else ""
    if flag:
        report.add_change(f"`{flag}` is left out: its hosts are the job's workers", where)
    options = {name: option for name, option in line.call.parsed.options.items() if name != "host"}
    call = line.call.replace(parsed=line.call.parsed.replace(options=options))
    placement = place(call, tuple((slots or {}).items()))
    if slots is None or report.settings.count("spec.workers") is not None:
        return _unnamed_hosts(line, slots, placement, report)
    if placement.problem:
        _report_refusal(line, slots, placement, flag, report)
        return None
    counts = placement.counts
    if counts is None:
        total = placement.total or sum(slots.values())
        if total % len(slots):
            return _uneven(total, f"{total} processes on {len(slots)} workers", where, None, report)
        counts = (total // len(slots),) * len(slots)
        message = f"each worker has {counts[0]} processes: only the run knows how many mpirun places on each host"
        report.add_change(message, where)
    used = {host: count for host, count in zip(slots, counts, strict=True) if count}
    first, most = next(iter(used.items()))
    other = next(((host, count) for host, count in used.items() if count != most), None)
    if other is not None:
        message = f"mpirun starts {most} processes on `{first}` and {other[1]} on `{other[0]}`"
        help_ = _same_slots(flag, [*used], sum(counts)) or "name hosts with the same slots"
        return _uneven(sum(counts), message, where, help_, report)
    if len(used) < len(slots):
        idle = next(host for host in slots if host not in used)
        message = f"the job has {len(used)} of the {len(slots)} hosts as workers: mpirun starts no process on `{idle}`"
        report.add_change(message, where)
    return fixed_nodes(report, len(used), where), most


def _slots(hosts: str | None) -> dict[str, int] | None:
    """Return the slots of each host of `a:4,b:4,b`; None if the command does not say them."""
    slots: dict[str, int] = {}
    for host, colon, text in (each.partition(":") for each in hosts.split(",")) if hosts else ():
        count = parse_count(text) if colon else 1
        if not host or not count:
            return None
        slots[host] = slots.get(host, 0) + count
    return slots or None


def _unnamed_hosts(
    line: LauncherLine, slots: dict[str, int] | None, placement: Placement, report: CommandReport
) -> tuple[Nodes, int | None] | None:
    """Return the workers of the user; without them, for checks, those that have a process per GPU."""
    name = next((name for name in ("host", *HOSTFILES) if name in line.options), "")
    total, each = placement.total, placement.per_host
    nodes = required_nodes(report, "the command does not name the hosts", line.where(name))
    if report.settings.count("spec.workers") is None and total:
        each = each or report.settings.gpus
        each = each if each and total % each == 0 else 1
        return nodes.replace(fewest=total // each, most=total // each), each
    if total and total % nodes.most:
        message = f"{total} processes on {nodes.most} workers: every worker has the same number"
        report.add_error(message, line.where("np"))
        return None
    return nodes, total // nodes.most if total else each or (max(slots.values()) if slots else None)


def _uneven(
    total: int, message: str, where: Span, help_: str | None, report: CommandReport
) -> tuple[Nodes, int | None]:
    """Report hosts with different numbers of processes, which a job can't have; return hosts with a process each."""
    message = f"{message}: every worker has the same number"
    report.unspecified.append(error(codes.IMPORT_INVALID, message, where, help=help_))
    return Nodes(fewest=total, most=total, span=where), 1


def _report_refusal(
    line: LauncherLine, slots: dict[str, int], placement: Placement, flag: str, report: CommandReport
) -> None:
    """Report why mpirun exits before it starts a process."""
    option = next((name for name in ("np", "npernode", "map_by") if name in line.options), "host")
    available, total, each = sum(slots.values()), placement.total or 0, placement.per_host or 0
    fewest = min(slots, key=lambda host: slots[host])
    message, help_ = f"it is to start {total} processes, but `{flag}` has {available} slots", None
    if placement.problem == "slots":
        help_ = _same_slots(flag, [*slots], total)
    elif placement.problem == "slots of a host":
        message = f"it is to start {each} processes on each host, but `{fewest}` has {slots[fewest]} slots"
        help_ = _same_slots(flag, [*slots], each * len(slots))
    else:
        message = f"it is to start {total} processes, with at most {each} on each of {len(slots)} hosts"
    report.add_error(f"mpirun exits: {message}", line.where(option), help=help_)


def _same_slots(flag: str, hosts: list[str], processes: int) -> str | None:
    """Return the advice to give all hosts the same slots; None if they can't have them, or are too many to list."""
    if processes % len(hosts) or len(hosts) > 8:
        return None
    return f"pass `{flag} {','.join(f'{host}:{processes // len(hosts)}' for host in hosts)}`"
