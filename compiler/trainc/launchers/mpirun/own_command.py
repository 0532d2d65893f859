"""Read trainc's own start of mpirun: by the script on worker 0, or mpirun itself in the only pod."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from trainc.commandline.argparse import parse
from trainc.commandline.word import parse_count
from trainc.commandline.word import words as parse_words
from trainc.launchers.mpirun.lower import LOCAL
from trainc.launchers.mpirun.lower_ssh import COMMAND
from trainc.launchers.mpirun.options import FORWARDED, grammar
from trainc.launchers.mpirun.reader import options_of
from trainc.launchers.mpirun.traits import TRAITS
from trainc.launchers.registry import COMMANDS
from trainc.span import Text

_START = len(COMMAND) + 3  # rank, port and --
# Options that every job has; a hostfile has the number of processes.
_OWN = ("np", "hostfile", "host", "allow_run_as_root")
_PLACEMENT = {"bind_to": ("bindTo", "none"), "map_by": ("mapBy", "slot")}


def read_own_command(words: list[Text]) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the fields of launch.mpirun, the kind of the program (empty: its words say it) and its words.

    None for other command lines, and for trainc's own if an edit has added an option that mpirun does not have.
    """
    if tuple(words[: len(COMMAND)]) == COMMAND and words[_START - 1 : _START] == ["--"] and len(words) > _START:
        return _read(words[_START:], {"sshPort": parse_count(words[_START - 2])}, "--hostfile")
    if words and COMMANDS.get(words[0].rpartition("/")[2]) == TRAITS.name:
        hosts = [value for flag, value in pairwise(words) if flag in ("--host", "-host")]
        if hosts and hosts[0].partition(":")[0] == LOCAL:
            return _read(words, {}, "--host")
    return None


def _read(words: list[Text], fields: dict[str, Any], open_mpi: str) -> tuple[dict[str, Any], str, list[Text]] | None:
    """Return the same of a command line of mpirun; Open MPI's has the option `open_mpi`."""
    command, rest = words[0], words[1:]
    parsed = parse(grammar(), parse_words(rest))
    program = parsed.program
    options = options_of(rest[: len(rest) - len(program)])
    if not parsed.complete or options is None:
        return None
    names, is_open_mpi = {name for name, _, _ in options}, any(flag == open_mpi for _, flag, _ in options)
    if command != TRAITS.command:
        fields["command"] = command
    if is_open_mpi and "allow_run_as_root" not in names:
        fields["allowRunAsRoot"] = False
    forwarded, others = list[Text](), list[Text]()
    for name, flag, values in options:
        if name in _PLACEMENT:
            field, default = _PLACEMENT[name]
            if not is_open_mpi or values[0] != default:
                fields[field] = values[0]
        elif name == "x" and "=" not in values[0]:
            forwarded.append(values[0])
        elif name == "np" and open_mpi == "--host":
            fields["slotsPerWorker"] = parse_count(values[0])
        elif name not in _OWN:
            others += [flag, *values]
    if is_open_mpi and tuple(forwarded) != FORWARDED:
        fields["forwardEnv"] = forwarded
    if others:
        fields["otherArgs"] = others
    return fields, "", words[len(words) - len(program) :]


def is_idle(words: list[Text]) -> bool:
    """Return whether the script only runs sshd, in mode debug."""
    return tuple(words[: len(COMMAND) + 1]) == (*COMMAND, "debug")
