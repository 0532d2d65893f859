"""Read a shell script that starts a Ray cluster by the pods' numbers: `ray start --head` and the program, or a worker.

The branches of the script are those of launch.ray, which also waits for the other workers in place of its loops.
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.argparse import ParsedOption, parse
from trainc.commandline.shell import Command, parse_script
from trainc.commandline.word import Word, parse_count
from trainc.launchers.ray.options import BY_FLAG, grammar
from trainc.record import Record
from trainc.span import Span, Text

# Commands with which scripts wait, test and print.
_WAITS = frozenset(
    (
        *("sleep", "wait", "echo", "printf", "true", ":", "set", "trap", "[", "[[", "test", "until", "while", "date"),
        *("hostname", "nc", "getent", "nslookup", "ping", "exit", "env", "nvidia-smi"),
    )
)
_RAY_WAITS = ("status", "stop", "health-check", "list", "--version")
_SUBMIT = ("ray", "job", "submit")
# Options of submit without an effect where the program itself is started.
_OF_SUBMIT = ("--address", "--")
_IGNORED = ("head", "address", "block", "node-ip-address", "disable-usage-stats", "dashboard-port", "verbose")


class ClusterScript(Record):
    """Fields of launch.ray, the program's words, and the first `ray start`; or the reason why no field expresses it."""

    where: Span | None
    fields: dict[str, Any] = {}
    program: tuple[Word, ...] = ()
    obstacle: str = ""


def read_cluster_script(script: Word) -> ClusterScript | None:
    """Return the cluster of a shell script; None for a script without `ray start`."""
    parsed = parse_script(script.text, script.span) if script.known and "ray start" in script.text else None
    if parsed is None:
        return None
    commands = sorted([*parsed.commands, *parsed.uncertain], key=_position)
    starts = [command for command in commands if [word.text for word in command.words[:2]] == ["ray", "start"]]
    if not starts:
        return None
    where = starts[0].words[0].span
    try:
        return _read_branches(commands, starts).replace(where=where)
    except ValueError as problem:
        return ClusterScript(where=where, obstacle=str(problem))


def _read_branches(commands: list[Command], starts: list[Command]) -> ClusterScript:
    """Return the cluster of a script's commands. Raises ValueError with the reason if no field expresses it."""
    heads = [start for start in starts if any(word.text == "--head" for word in start.words)]
    programs = [command for command in commands if command not in starts and not _waits(command)]
    if len(heads) != 1 or len(starts) != 2:
        raise ValueError("it has not one `ray start` of the head and one of the others")
    if len(programs) != 1 or _position(programs[0]) < _position(heads[0]):
        raise ValueError("it has not one program after `ray start --head`")
    program = programs[0]
    words = _submitted(program.words)
    if program.files or program.is_piped or program.env or not words:
        raise ValueError("a shell prepares the program")
    if any(not word.known or word.splits for word in words):
        raise ValueError("only the running shell knows the program's arguments")
    worker = next(start for start in starts if start is not heads[0])
    return ClusterScript(where=None, fields=_fields(heads[0], worker), program=words)


def _position(command: Command) -> tuple[int, int]:
    span = command.words[0].span
    return (span.line, span.column) if span else (0, 0)


def _waits(command: Command) -> bool:
    name, *rest = [word.text for word in command.words]
    return name in _WAITS or (name == "ray" and rest[:1] != ["job"] and rest[:1] != [] and rest[0] in _RAY_WAITS)


def _submitted(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the program that `ray job submit` submits, empty with further options; other programs as they are."""
    texts = [word.text for word in words]
    if (*texts[:3],) != _SUBMIT:
        return words
    if "--" not in texts:
        return ()
    end = texts.index("--")
    options = [text.partition("=")[0] for text in texts[3:end] if text.startswith("--")]
    return words[end + 1 :] if all(option in _OF_SUBMIT for option in options) else ()


def _fields(head: Command, worker: Command) -> dict[str, Any]:
    """Return the fields. Raises ValueError for options that no field expresses."""
    fields: dict[str, Any] = {}
    for command, name in ((head, "headArgs"), (worker, "workerArgs")):
        parsed = parse(grammar(), command.words[2:])
        if parsed.program or parsed.problem is not None:
            raise ValueError("trainc does not know all options of `ray start`")
        others = [each for option in parsed.options.items() for each in _read(*option, fields)]
        if others:
            fields[name] = others
    return fields


def read_parameters(name: str, value: Text, fields: dict[str, Any]) -> list[str]:
    """Set the field of a parameter of `ray start`, and return an argument that has none; unknown ones are kept."""
    row = BY_FLAG.get(f"--{name}")
    where = value.span
    flag = Word(text=f"--{name}", span=where)
    if row is None:
        return [Text(f"--{name}={value}", where)]
    switch = row.kind == "switch"
    if switch and value not in ("true", ""):
        return []
    try:
        return _read(name, ParsedOption(flag=flag, value=None if switch else Word(text=value, span=where)), fields)
    except ValueError:
        return [Text(f"--{name}={value}", where)]


def _read(name: str, option: ParsedOption, fields: dict[str, Any]) -> list[str]:
    """Set the field of an option, and return those that have none."""
    row, where = BY_FLAG[f"--{name}"], option.flag.span
    if name in _IGNORED:
        return []
    if option.value is not None and not option.value.known:
        raise ValueError(f"only the running shell knows `--{name}`")
    value = option.text or ""
    if row.key == "dashboard" or name == "dashboard-host":
        if value not in ("false", "False", "0", "127.0.0.1", "localhost"):
            fields["dashboard"] = True
    elif row.field and row.kind in ("count", "port"):
        count = parse_count(value)
        if count is None or fields.get(row.key, count) != count:
            raise ValueError(f"no field expresses its `--{name}`")
        fields[row.key] = count
    elif row.field:
        fields[row.key] = value
    else:
        word = f"--{name}={value}" if option.value is not None else f"--{name}"
        return [word if where is None else Text(word, where)]
    return []
