"""A container's command and arguments as our `launch` and `run`.

A launcher whose options trainc has fields for is taken off the command line. Where the shell, another launcher or a
contradiction is in the way the command line stays as it is, and torchrun finds trainc's variables by itself.
"""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import Word
from trainc.launchers.deepspeed.reader import read_deepspeed
from trainc.launchers.find_launchers import Call, calls, shell_text
from trainc.launchers.registry import COMMANDS, MODULES
from trainc.launchers.torchrun.reader import read_torchrun, read_torchrun_env
from trainc.record import Record
from trainc.span import Text
from trainc.systems.shared.reader.expansion import expand_arguments, parse_single_command, referenced_variables
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.operator_variables import required_variables
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.report import TranslationReport

# Where the launchers of common images are, all of them on PATH; elsewhere the very file is meant.
FOLDERS = ("", "/usr/local/bin", "/usr/bin", "/bin", "/opt/conda/bin")
PYTHONS = ("python", "python3")
# What stays of another launcher, and what could be in its place.
OTHERS = {
    "deepspeed": "deepspeed stays, one of its own in each pod; launch.deepspeed makes one world of the workers",
    "accelerate": "accelerate stays, and finds RANK, MASTER_ADDR and MASTER_PORT; launch.torchrun does without it",
    "mpirun": "mpirun stays, and finds no hostfile: trainc starts the program in every pod by itself",
}
BASIC = {"basic": {"worldSizeArgument": False, "rankArgument": False}}


class TranslatedCommand(Record):
    """`launch` and `run`, and variables of the other system's that what is left of the command line uses."""

    launch: dict[str, Any]
    run: dict[str, Any]
    env: dict[str, str]


def translate_command(pod: TranslatedPod, world: InjectedEnv, report: TranslationReport) -> TranslatedCommand:
    """How the training container starts its program. `world` is what the other system tells it."""
    words: list[Text] = [*pod.command, *pod.args]
    if not pod.command:
        return _as_it_is("entrypoint", words, _plain(world), world, report)
    known = expand_arguments(words, world.variables)
    line = known
    text = shell_text(known)
    if text is not None:
        line = parse_single_command(known, text, world.variables) or []
    typed = words if line is known else []
    found = _taken_apart(line, typed, world, report) if line else None
    if found is not None:
        return found
    return _kept(words, calls(known), world, report)


def _taken_apart(
    line: list[Word], typed: list[Text], world: InjectedEnv, report: TranslationReport
) -> TranslatedCommand | None:
    """The program without its launcher, None where something of the launcher would be lost.

    `typed` are the arguments as they were typed, where a word is one of them.
    """
    launched = calls(line)
    name = line[0].text
    if not launched:
        return _program(line, typed, world, report)
    call = launched[0]
    if len(launched) > 1 or not _is_first(call, line) or call.problem is not None or not call.parsed.complete:
        return None
    fields: dict[str, Any] | None = None
    if call.launcher in ("torchrun", "torch.distributed.launch") and name.rpartition("/")[0] in FOLDERS:
        fields = read_torchrun(call, world, report)
    elif call.launcher == "deepspeed" and name.rpartition("/")[0] in FOLDERS:
        fields = read_deepspeed(call, world)
    if fields is None:
        return None
    kind = "module" if call.given("module") else "exec" if call.given("no_python") else "python"
    if not call.parsed.program or any(word.splits for word in call.parsed.program):
        return None
    program = [_as_typed(word, typed) for word in call.parsed.program]
    launch = {"deepspeed" if call.launcher == "deepspeed" else "torchrun": fields}
    bridges = {name: value for name, value in world.replacements.items() if name in referenced_variables(program)}
    bridges = bridges if "torchrun" in launch else {}
    static = fields.get("rendezvous", {}).get("backend") == "static"
    if not static and any("PET_" in value for value in bridges.values()):
        return None  # only the static rendezvous has these variables
    return TranslatedCommand(launch=launch, run={kind: program}, env=bridges)


def _program(
    line: list[Word], typed: list[Text], world: InjectedEnv, report: TranslationReport
) -> TranslatedCommand | None:
    """Python's -u is trainc's too, so it goes; with other options the interpreter is the program."""
    if any(word.splits or _names_torchrun(word.text) for word in line):
        return None
    program = [_as_typed(word, typed) for word in line]
    if program[0] in PYTHONS and not (world.elastic or world.starts_torchrun or world.counts_processes):
        rest = program[1:]
        while rest and rest[0] == "-u":
            rest = rest[1:]
        if len(rest) > 1 and rest[0] == "-m":
            return _as_it_is("module", rest[1:], BASIC, world, report)
        if rest and not rest[0].startswith("-"):
            return _as_it_is("python", rest, BASIC, world, report)
    return None if _is_shell(line) else _as_it_is("exec", program, _plain(world), world, report)


def _kept(words: list[Text], launched: list[Call], world: InjectedEnv, report: TranslationReport) -> TranslatedCommand:
    """The command line as it is."""
    call = launched[-1] if len(launched) == 1 else None
    asks = any(name.startswith("PET_") for name in referenced_variables(words))  # which launch.basic doesn't have
    if call is not None and world.sets_master_addr and _knows_all(call) and not (world.counts_processes or asks):
        return _as_it_is("exec", words, BASIC, world, report)
    starts = call.launcher.startswith("torch") if call else any(_names_torchrun(word) for word in words)
    launch = {"torchrun": {"wrap": False, **read_torchrun_env(world, call)}} if starts else _plain(world)
    if call is not None and starts:
        span = call.name.span or words[0].span
        message = f"the command line stays: its {call.launcher} finds trainc's PET_ variables"
        report.add_change(message, span)
    elif launched and launched[0].launcher in OTHERS:
        report.add_change(OTHERS[launched[0].launcher], launched[0].name.span or words[0].span)
    return _as_it_is("exec", words, launch, world, report)


def _knows_all(call: Call) -> bool:
    """Whether a torchrun is told by its own options all that PET_ variables could tell."""
    given = call.parsed.options
    place = ("rdzv_endpoint",) if "rdzv_backend" in given else ("master_addr", "node_rank")
    return call.launcher.startswith("torch") and all(name in given for name in ("nnodes", "nproc_per_node", *place))


def _as_it_is(
    kind: str, words: list[Text], launch: dict[str, Any], world: InjectedEnv, report: TranslationReport
) -> TranslatedCommand:
    return TranslatedCommand(
        launch=dict(launch), run={kind: words}, env=required_variables(launch, kind, words, world, report)
    )


def _plain(world: InjectedEnv) -> dict[str, Any]:
    """For what can't be looked into: an elastic policy speaks to torchrun, else the plain variables are meant.

    A WORLD_SIZE of processes is none of launch.basic's: then the other system's variables are set beside torchrun's.
    """
    if world.elastic or world.starts_torchrun or world.counts_processes:
        return {"torchrun": {"wrap": False, **read_torchrun_env(world, None)}}
    return BASIC


def _is_first(call: Call, line: list[Word]) -> bool:
    """Whether nothing but the interpreter stands before the launcher."""
    first = line[0].text.rpartition("/")[2]
    if call.name is line[0]:
        return first in COMMANDS
    if call.name.text not in MODULES or first not in PYTHONS or call.name not in line:
        return False
    before = [word.text for word in line[1 : line.index(call.name)]]
    return before in (["-m"], ["-u", "-m"])


def _is_shell(line: list[Word]) -> bool:
    return shell_text(line) is not None


def _names_torchrun(word: str) -> bool:
    return "torchrun" in word or "torch.distributed.run" in word


def _as_typed(word: Word, typed: list[Text]) -> Text:
    """With `$(NAME)` and all: the kubelet reads our arguments as it read theirs."""
    assert word.span is not None
    return next((one for one in typed if one.span is word.span), Text(word.text, word.span))
