"""Read an mpirun command line of a launcher pod as launch.mpirun."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.commandline.word import Word, parse_int
from trainc.commandline.word import words as parse_words
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import note
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.mpirun.command import HOSTFILES, HOSTS, hosts_message, lacks_hosts, mpirun_call
from trainc.launchers.mpirun.options import BY_NAME, FORWARDED, grammar
from trainc.launchers.mpirun.traits import INTEL, OPEN_MPI, TRAITS
from trainc.record import Record
from trainc.source.node import Scalar
from trainc.span import Text, span_of
from trainc.systems.shared.reader.report import TranslationReport

# Options that launch.mpirun always sets.
_SIZE = ("np", "npernode", *HOSTS)
_PLACEMENT = {"bind_to": ("bindTo", "none"), "map_by": ("mapBy", "slot")}
_UNKNOWN = "trainc does not know all of it"  # why a command line stays as it is
Option = tuple[str, Text, list[Text]]  # name, flag and values
# Options that Hydra has, too.
_OF_HYDRA = {"np", "wdir"}


class LauncherPodFacts(Record):
    """Workers, slots, hostfile and MPI of a launcher pod, the variables of the pods, and whether it runs as root.

    Without `hostfile` the workers replace the hosts of the command line.
    """

    workers: int
    slots: int
    hostfile: str
    implementation: str
    variables: tuple[str, ...]
    is_root: bool


class MpirunCommand(Record):
    """Fields of launch.mpirun, the program's words, and the variables that -x sets."""

    fields: dict[str, Any]
    program: list[Text]
    env: dict[str, Text]


def read_mpirun(words: list[Text], pod: LauncherPodFacts, report: TranslationReport) -> MpirunCommand | None:
    """Return the command; None if its words don't start mpirun, or after a note why they stay as they are."""
    argv = parse_words(words)
    call = mpirun_call(argv)
    if call is None:
        return None
    options = options_of(words[1 : len(words) - len(call.parsed.program)])
    reason = _UNKNOWN if options is None else next(_obstacles(call, argv, pod), "")
    if options is None or reason:
        report.add_change(f"mpirun's command line is unchanged: {reason}", call.name.span or _span(words[0]))
        return None
    return _translate(call, words, options, pod, report)


def _obstacles(call: Call, argv: list[Word], pod: LauncherPodFacts) -> Iterator[str]:
    """Yield why fields can't express the command line."""
    options = call.parsed.options
    if call.name is not argv[0] or not call.parsed.complete:
        yield _UNKNOWN
    elif not call.parsed.program:
        yield "it has no program"
    yield from (f"it starts {nested.launcher}" for nested in calls(call.parsed.program))
    for name, expected in (("np", pod.workers * pod.slots), ("npernode", pod.slots)):
        if name in options and parse_int(options[name].value) != expected:
            yield f"{options[name].flag.text} is not the {expected} of the hostfile"
    for name, option in options.items():
        if name in HOSTFILES and pod.hostfile and option.text != pod.hostfile:
            yield f"{option.flag.text} is not {pod.hostfile}"
        is_expressed = name in (*_SIZE, *_PLACEMENT) and (name != "host" or not pod.hostfile)
        if not BY_NAME[name].keeps_size and not is_expressed:
            yield f"{option.flag.text} changes where the processes run"
        placed = () if pod.implementation == INTEL else _PLACEMENT
        if pod.implementation != OPEN_MPI and name not in _OF_HYDRA and name not in placed:
            yield f"{pod.implementation} has another {option.flag.text}, or none"


def _translate(
    call: Call, words: list[Text], options: list[Option], pod: LauncherPodFacts, report: TranslationReport
) -> MpirunCommand:
    program = words[len(words) - len(call.parsed.program) :]
    fields: dict[str, Any] = {Text("command", _span(words[0])): words[0]} if words[0] != TRAITS.command else {}
    env: dict[str, Text] = {}
    forwarded, others = list[Text](), list[Text]()
    for name, flag, values in options:
        if name in _PLACEMENT:
            field, default = _PLACEMENT[name]
            if values[0] != default or pod.implementation != OPEN_MPI:
                fields[Text(field, _span(flag))] = values[0]
        elif name == "x":
            variable, equals, value = values[0].partition("=")
            if not equals:
                forwarded.append(values[0])
            elif variable in (*pod.variables, *env):
                others += [flag, *values]
            else:
                env[Text(variable, _span(values[0]))] = Text(value, _span(values[0]))
                report.add_change(f"all pods have variable `{variable}`, which -x sets", _span(values[0]))
        elif name not in _SIZE and name != "allow_run_as_root":
            others += [flag, *values]
    if pod.implementation == OPEN_MPI:
        names = {name for name, _, _ in options}
        if ("allow_run_as_root" in names) != pod.is_root:
            as_root, where = "allow_run_as_root" in names, call.name.span
            assert where is not None
            fields["allowRunAsRoot"] = Scalar(as_root, str(as_root).lower(), where)
        missing = [name for name in forwarded if name not in pod.variables]
        if {*missing} != {*FORWARDED}:
            fields["forwardEnv"] = missing
        _report_defaults(call, pod, names, [name for name in pod.variables if name not in forwarded], report)
    if others:
        fields["otherArgs"] = others
    return MpirunCommand(fields=fields, program=program, env=env)


def options_of(words: list[Text]) -> list[Option] | None:
    """Return all options before `--`, also those that are given several times; None if one has its value after `=`."""
    known, at = grammar().options, 0
    options: list[Option] = []
    while at < len(words) and words[at] != "--":
        if words[at] not in known:
            return None
        name, count = known[words[at]]
        options.append((name, words[at], words[at + 1 : at + 1 + count]))
        at += 1 + count
    return options


def _report_defaults(
    call: Call, pod: LauncherPodFacts, names: set[str], more: list[str], report: TranslationReport
) -> None:
    """Report what launch.mpirun adds to the command line."""
    where = call.name.span
    assert where is not None
    if pod.hostfile and lacks_hosts(call, pod.variables):
        message, help_ = hosts_message(pod.hostfile)
        report.faults.append(note(codes.HOSTFILE_NOT_READ, message, where, help=help_))
    defaults = {name: default for name, (_, default) in _PLACEMENT.items()}
    if pod.hostfile and names.isdisjoint(HOSTS):
        defaults = {"hostfile": pod.hostfile, **defaults}
    options = [f"--{name.replace('_', '-')} {value}" for name, value in defaults.items() if name not in names]
    if options:
        report.add_change(f"{TRAITS.name} gets {' '.join(options)}", where)
    if more:
        report.add_change(f"{TRAITS.name} forwards {', '.join(f'`{name}`' for name in more)} to the processes", where)


def _span(word: Text) -> Any:
    return span_of(word)
