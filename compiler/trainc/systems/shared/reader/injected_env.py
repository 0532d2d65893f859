"""Environment that another system injects into a training container, and the variables in its command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from trainc.commandline.lexer import NEWLINE, Lexer, OpaqueError
from trainc.commandline.shell import shell_text
from trainc.commandline.word import Word, words
from trainc.launchers.find_launchers import calls
from trainc.record import Record
from trainc.span import Span, Text
from trainc.systems.shared.reader.report import TranslationReport

# Replaces the pod's own number in the value of a variable; no argument holds this character.
RANK_MARK = "\ue000"


class InjectedEnv(Record):
    """Workers, and the environment that the other system injects into them.

    minimum, maximum: number of workers.
    launcher_fields: fields of launch.torchrun that the injected variables set, the other system's defaults included.
    hosts: host names of the first worker that the variables hold; unannounced_hosts: its other host names.
    variables: values of variables that a command line may reference.
    replacements: values that trainc's own variables give to the other system's variables, by name.
    starts_torchrun: torchrun is certain to be in the process tree.
    configures_torchrun: the variables include those that torchrun itself reads.
    counts_processes: WORLD_SIZE is the number of all processes, while RANK is the number of the worker.
    rendezvous_help: how the other system announces the first worker.
    """

    minimum: int
    maximum: int
    gpus: int
    elastic: bool = False
    launcher_fields: dict[str, Any] = {}
    hosts: tuple[str, ...] = ()
    unannounced_hosts: tuple[str, ...] = ()
    port: int | None = None
    variables: dict[str, str] = {}
    replacements: dict[str, str] = {}
    starts_torchrun: bool = False
    host_network: bool = False
    configures_torchrun: bool = True
    counts_processes: bool = False
    rendezvous_help: str | None = None
    span: Span | None = None

    @property
    def sets_master_addr(self) -> bool:
        """Return whether MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE are set."""
        return "MASTER_ADDR" in self.variables


def env_init_variables(host: str, port: str, world_size: str, single: bool) -> dict[str, str]:
    """Return the variables of torch.distributed's env:// initialization, as the other system sets them."""
    rank = "0" if single else RANK_MARK
    return {"MASTER_ADDR": host, "MASTER_PORT": port, "WORLD_SIZE": world_size, "RANK": rank}


def env_init_replacements(port: str, world_size: str, single: bool) -> dict[str, str]:
    """Return the values of the same variables in terms of those that trainc sets for torchrun."""
    if single:
        return env_init_variables("localhost", port, world_size, single)
    names = ("MASTER_ADDR", "MASTER_PORT")
    return {name: f"$(PET_{name})" for name in names} | {"RANK": "$(PET_NODE_RANK)", "WORLD_SIZE": world_size}


# https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
_KUBELET = re.compile(r"\$\(([-._a-zA-Z0-9]+)\)")
_REFERENCE = re.compile(r"\$[({]?([A-Za-z_][A-Za-z0-9_]*)")
_GLOB = re.compile(r"[*?\[~]")
# Suffix of a variable's name in braces: the part of the value after its last dash, such as a pod's ordinal.
AFTER_LAST_DASH = "##*-"
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
SCRIPTS = (".sh", ".bash", ".py")


def expand_arguments(arguments: Iterable[Text], variables: Mapping[str, str]) -> list[Word]:
    """Return the arguments as the kubelet passes them to the container's process; those with `$$` unchanged."""

    def expand(text: str) -> str:
        return text if "$$" in text else _KUBELET.sub(lambda match: variables.get(match[1], match[0]), text)

    return words([Text(expand(argument), argument.span) for argument in arguments])


def parse_single_command(line: list[Word], script: Word, variables: Mapping[str, str]) -> list[Word] | None:
    """Return the words of a shell script that is one command and needs no shell; None for any other script.

    A login shell may change PATH, and words after the script are its $0 and $1. A word that contains a variable is
    marked as one that `splits`: its value is known, but differs from its spelling.
    """
    options = [word.text for word in line[1:] if word is not script]
    if line[-1] is not script or any(option not in ("-c", "-ec", "-e", "-xc", "-exc", "-x") for option in options):
        return None
    if not script.known or "$$" in script.text or "$(" in script.text:
        return None
    text = script.text
    for name, value in variables.items():
        if name.endswith(AFTER_LAST_DASH):  # pad the value to the length of the reference: later words keep their spans
            text = text.replace(f"${{{name}}}", value * (len(name) + 3))
    try:
        tokens = list(Lexer(text, script.span, variables).tokens())
    except OpaqueError:
        return None
    while tokens and tokens[-1].raw in (NEWLINE, ";"):
        tokens.pop()
    while tokens and tokens[0].raw == NEWLINE:
        tokens.pop(0)
    command = [token.word for token in tokens if token.word and not _GLOB.search(token.raw)]
    if len(command) < len(tokens) or not command or _ASSIGNMENT.match(tokens[0].raw):
        return None
    if any(not word.known or word.splits for word in command):
        return None
    ordinals = {value for name, value in variables.items() if name.endswith(AFTER_LAST_DASH)}
    command = [_unpadded(word, token.raw, ordinals) for word, token in zip(command, tokens, strict=True)]
    return command[1:] if command[0].text == "exec" else command


def _unpadded(word: Word, raw: str, ordinals: set[str]) -> Word:
    text = word.text
    for ordinal in ordinals:
        text = re.sub(f"{ordinal}+", ordinal, text)
    return word.replace(text=text, splits="$" in raw or any(ordinal in raw for ordinal in ordinals))


def referenced_variables(words: Iterable[str]) -> set[str]:
    """Return the names of all variables that words reference, for the kubelet or for a shell."""
    return {name for word in words for name in _REFERENCE.findall(word)}


def required_variables(
    launch: dict[str, Any], kind: str, words: list[Text], injected: InjectedEnv, report: TranslationReport
) -> dict[str, str]:
    """Return the variables that launch.torchrun does not set, and that the words or a script may read."""
    if "torchrun" not in launch:
        return {}
    used = referenced_variables(words)
    everything = kind == "entrypoint" or may_run_scripts(words)
    variables = {name: value for name, value in injected.replacements.items() if everything or name in used}
    if injected.maximum == 1 or launch["torchrun"].get("rendezvous", {}).get("backend") == "static":
        return variables
    for name in [name for name, value in variables.items() if "$(PET_" in value]:  # the static rendezvous has these
        del variables[name]
        if name in used:
            where = next(word.span for word in words if name in referenced_variables([word]))
            help_ = "set rendezvous.backend: static, which sets PET_MASTER_ADDR and PET_NODE_RANK"
            report.add_dropped(name, where, "with this rendezvous torchrun assigns it at run time", help=help_)
    return variables


def may_run_scripts(words: list[Text]) -> bool:
    """Return whether the command line runs a program that is neither a launcher nor a plain shell command."""
    line = expand_arguments(words, {})
    launchers = calls(line, plugins=True)
    script = shell_text(line)
    if script is None or not launchers:
        return not launchers
    programs = [word for call in launchers for word in call.parsed.program[:1]]
    launched = {word.text for word in programs}
    in_unknown_folder = tuple(f"/{word.text.rpartition('/')[2]}" for word in programs if not word.known)
    pieces = [piece.strip("\"';&|()") for piece in script.text.split()]
    scripts = [piece for piece in pieces if piece.endswith(SCRIPTS) and piece not in launched]
    return "source" in pieces or any(not ("$" in piece and piece.endswith(in_unknown_folder)) for piece in scripts)
