"""Reader of launch commands: shell scripts that end in one, and commands on trainc's own command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from trainc.commandline.shell import parse_script
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Rejected, error
from trainc.launchers.registry import (
    COMMANDS,
    FRAMEWORK_COMMANDS,
    FRAMEWORK_MENTIONS,
    MENTIONS,
    MODULES,
    plugin_commands,
)
from trainc.source.load import surrogate_error
from trainc.source.node import Change, Mapping, Node
from trainc.span import COMMAND, Source
from trainc.systems.command.reader.script import find_launch
from trainc.systems.registry import COMMAND_NAMES, command_reader
from trainc.systems.shared.reader.launch_command import CommandReport, ReadScript, Settings

_NAMES = frozenset((*COMMAND_NAMES, *(name.partition(" ")[0] for name in COMMANDS), *FRAMEWORK_COMMANDS))
_EXTENSIONS = (".sh", ".bash", ".py")  # a program is no script, but advice on it is
_SHEBANG = re.compile(r"#!.*\b(?:ba|da|z|k|a)?sh\b")
# First line of YAML: a key, a list, a flow mapping or the start of a document.
_YAML = re.compile(r"(?:---|%|- |[{\[]|[\w.\"'/-]+:(?:\s|$))")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.ASCII | re.DOTALL)


def is_script(source: Source) -> bool:
    """Return whether a text is a shell script: by its name, its first line, or a launch command in it."""
    if source.name == COMMAND or source.name.endswith(_EXTENSIONS) or _SHEBANG.match(source.text):
        return True
    lines = (line.strip() for line in source.text.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if _YAML.match(first):
        return False
    plugins = plugin_commands()
    mentions = (*MENTIONS, *FRAMEWORK_MENTIONS, *COMMAND_NAMES, *plugins)
    if not any(name in source.text for name in mentions):
        return False
    script = parse_script(source.text, None)
    words = [word.text for command in script.commands for word in command.words] if script else []
    return any(word.rpartition("/")[2] in (_NAMES | plugins.keys()) or word in MODULES for word in words)


def read_script(source: Source, overrides: Sequence[Change] = ()) -> ReadScript:
    """Translate the launch command of a script. `overrides` may set what it does not say."""
    span = source.span_at(0)
    invalid = surrogate_error(source)
    if invalid is None and "\0" in source.text:
        where = source.span_at(source.text.index("\0"))
        invalid = error(codes.INVALID_CHARACTERS, "a shell script cannot contain a NUL character", where)
    if invalid is not None:
        return ReadScript(diagnostics=[invalid])
    if source.name.endswith(".py"):
        help_ = "import the command that starts it: `trainc import command --set spec.image=IMAGE -- COMMAND`"
        return ReadScript(
            diagnostics=[error(codes.NO_LAUNCH_COMMAND, "the file is a Python program", span, help=help_)]
        )
    settings: Node = Mapping({}, span)
    for override in overrides:
        try:
            settings = override.apply(settings)
        except Rejected:  # which is reported when it is applied to the job
            continue
    report = CommandReport(Settings(settings))
    if not source.text.strip():
        diagnostic = error(codes.EMPTY_INPUT, "the input contains no command", span)
        return ReadScript(diagnostics=[diagnostic])
    command = find_launch(source, report, is_typed=source.name == COMMAND)
    job = command_reader(command.words[0].text).translate(command, report) if command else None
    return ReadScript(
        job=job,
        diagnostics=report.diagnostics,
        unspecified=report.unspecified,
        faults=report.faults,
        names=report.names,
    )


def command_source(arguments: Sequence[str]) -> Source:
    """Return the text of a command that was typed as arguments; a single argument may be a whole script."""
    if len(arguments) == 1:
        return Source(COMMAND, arguments[0])
    words, is_before, has_shell = [], True, False
    for argument in arguments:
        assignment = _ASSIGNMENT.fullmatch(argument) if is_before else None
        if is_before and assignment is None:
            is_before, has_shell = False, argument in COMMAND_NAMES  # whose arguments a shell in the pods expands
        quote = shlex.quote if has_shell else _quoted
        words.append(f"{assignment[1]}={quote(assignment[2])}" if assignment else quote(argument))
    return Source(COMMAND, " ".join(words))


def _quoted(argument: str) -> str:
    """Quote an argument. Its variables stay variables: nobody means a dollar sign."""
    if "$" not in argument:
        return shlex.quote(argument)
    escaped = re.sub(r'([\\"`])', r"\\\1", argument)
    return f'"{escaped}"'
