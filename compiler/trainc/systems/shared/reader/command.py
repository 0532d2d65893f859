"""Translate a container's command and arguments to `launch` and `run`.

A launcher whose options have fields is removed from the command line. The command line stays unchanged if a shell,
another launcher or a contradicting option prevents that; then torchrun reads the variables that trainc sets.
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
from trainc.systems.shared.reader.injected_env import InjectedEnv
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.variables import (
    expand_arguments,
    parse_single_command,
    referenced_variables,
    required_variables,
)

# Folders on PATH that contain the launchers of common images. A launcher elsewhere must be that very file.
FOLDERS = ("", "/usr/local/bin", "/usr/bin", "/bin", "/opt/conda/bin")
PYTHONS = ("python", "python3")
# Notes on launchers that stay in the command line.
UNCHANGED = {
    "deepspeed": "deepspeed runs unchanged, with a world per pod; launch.deepspeed makes one world of all workers",
    "accelerate": "accelerate runs unchanged, with RANK, MASTER_ADDR and MASTER_PORT; launch.torchrun can replace it",
    "mpirun": "mpirun runs unchanged, without a hostfile: trainc starts the program in every pod itself",
}
BASIC = {"basic": {"worldSizeArgument": False, "rankArgument": False}}


class TranslatedCommand(Record):
    """`launch` and `run`, and the other system's variables that the program needs."""

    launch: dict[str, Any]
    run: dict[str, Any]
    env: dict[str, str]


def translate_command(pod: TranslatedPod, injected: InjectedEnv, report: TranslationReport) -> TranslatedCommand:
    """Return how the training container starts its program."""
    words: list[Text] = [*pod.command, *pod.args]
    if not pod.command:
        return _unchanged("entrypoint", words, _launch_of_unknown(injected), injected, report)
    arguments = expand_arguments(words, injected.variables)
    line = arguments
    script = shell_text(arguments)
    if script is not None:
        line = parse_single_command(arguments, script, injected.variables) or []
    typed = words if line is arguments else []
    command = _without_launcher(line, typed, injected, report) if line else None
    return command or _with_launcher(words, calls(arguments), injected, report)


def _without_launcher(
    line: list[Word], typed: list[Text], injected: InjectedEnv, report: TranslationReport
) -> TranslatedCommand | None:
    """Return the program without its launcher; None if options of the launcher would be lost.

    `typed` are the arguments before expansion, if the words of the line are arguments.
    """
    launchers = calls(line)
    if not launchers:
        return _program(line, typed, injected, report)
    call = launchers[0]
    words = call.parsed.program
    is_on_path = _is_first(call, line) and line[0].text.rpartition("/")[0] in FOLDERS
    is_readable = len(launchers) == 1 and call.problem is None and call.parsed.complete
    if not (is_on_path and is_readable and words) or any(word.splits for word in words):
        return None
    fields, env = None, {}
    program = [_as_typed(word, typed) for word in words]
    if call.launcher == "deepspeed":
        fields = read_deepspeed(call, injected)
    elif _is_torchrun(call):
        fields, used = read_torchrun(call, injected, report), referenced_variables(program)
        env = {name: value for name, value in injected.replacements.items() if name in used}
    if fields is None:
        return None
    is_static = fields.get("rendezvous", {}).get("backend") == "static"
    if not is_static and any("PET_" in value for value in env.values()):
        return None  # only the static rendezvous has these variables
    kind = "module" if call.option("module") else "exec" if call.option("no_python") else "python"
    launch = {"torchrun" if _is_torchrun(call) else "deepspeed": fields}
    return TranslatedCommand(launch=launch, run={kind: program}, env=env)


def _program(
    line: list[Word], typed: list[Text], injected: InjectedEnv, report: TranslationReport
) -> TranslatedCommand | None:
    """Return a program without a launcher. trainc runs Python with -u; with other options Python is the program."""
    if any(word.splits or _names_torchrun(word.text) for word in line):
        return None
    program = [_as_typed(word, typed) for word in line]
    if program[0] in PYTHONS and not _needs_torchrun(injected):
        rest = program[1:]
        while rest and rest[0] == "-u":
            rest = rest[1:]
        if len(rest) > 1 and rest[0] == "-m":
            return _unchanged("module", rest[1:], BASIC, injected, report)
        if rest and not rest[0].startswith("-"):
            return _unchanged("python", rest, BASIC, injected, report)
    if shell_text(line) is not None:
        return None
    return _unchanged("exec", program, _launch_of_unknown(injected), injected, report)


def _with_launcher(
    words: list[Text], launchers: list[Call], injected: InjectedEnv, report: TranslationReport
) -> TranslatedCommand:
    """Return the command line unchanged."""
    call = launchers[-1] if len(launchers) == 1 else None
    reads_pet = any(name.startswith("PET_") for name in referenced_variables(words))  # launch.basic has none
    is_complete = call is not None and injected.sets_master_addr and _is_fully_configured(call)
    if is_complete and not (injected.counts_processes or reads_pet):
        return _unchanged("exec", words, BASIC, injected, report)
    starts_torchrun = _is_torchrun(call) if call else any(_names_torchrun(word) for word in words)
    launch = _launch_of_unknown(injected)
    if starts_torchrun:
        launch = {"torchrun": {"wrap": False, **read_torchrun_env(injected, call)}}
    if call is not None and starts_torchrun:
        message = f"the command line is unchanged: {call.launcher} reads trainc's PET_ variables"
        report.add_change(message, call.name.span or words[0].span)
    elif launchers and launchers[0].launcher in UNCHANGED:
        report.add_change(UNCHANGED[launchers[0].launcher], launchers[0].name.span or words[0].span)
    return _unchanged("exec", words, launch, injected, report)


def _is_fully_configured(call: Call) -> bool:
    """Return whether torchrun's options leave nothing that PET_ variables could set."""
    options = call.parsed.options
    endpoint = ("rdzv_endpoint",) if "rdzv_backend" in options else ("master_addr", "node_rank")
    return _is_torchrun(call) and all(name in options for name in ("nnodes", "nproc_per_node", *endpoint))


def _unchanged(
    kind: str, words: list[Text], launch: dict[str, Any], injected: InjectedEnv, report: TranslationReport
) -> TranslatedCommand:
    env = required_variables(launch, kind, words, injected, report)
    return TranslatedCommand(launch=dict(launch), run={kind: words}, env=env)


def _needs_torchrun(injected: InjectedEnv) -> bool:
    """Return whether launch.torchrun's variables are needed; launch.basic's WORLD_SIZE never counts processes."""
    return injected.elastic or injected.starts_torchrun or injected.counts_processes


def _launch_of_unknown(injected: InjectedEnv) -> dict[str, Any]:
    """Return `launch` of a program that cannot be inspected; an elastic policy configures torchrun."""
    if _needs_torchrun(injected):
        return {"torchrun": {"wrap": False, **read_torchrun_env(injected, None)}}
    return BASIC


def _is_first(call: Call, line: list[Word]) -> bool:
    """Return whether nothing but a Python interpreter precedes the launcher."""
    first = line[0].text.rpartition("/")[2]
    if call.name is line[0]:
        return first in COMMANDS
    if call.name.text not in MODULES or first not in PYTHONS or call.name not in line:
        return False
    before = [word.text for word in line[1 : line.index(call.name)]]
    return before in (["-m"], ["-u", "-m"])


def _is_torchrun(call: Call) -> bool:
    return call.launcher.startswith("torch")


def _names_torchrun(word: str) -> bool:
    return "torchrun" in word or "torch.distributed.run" in word


def _as_typed(word: Word, typed: list[Text]) -> Text:
    """Return the argument before expansion: the kubelet expands `$(NAME)` in trainc's pods too."""
    assert word.span is not None
    return next((text for text in typed if text.span is word.span), Text(word.text, word.span))
