"""Errors of command lines: launch commands in place of files, missing files, options with another name in trainc."""

from __future__ import annotations

import os
import re
import shlex

from trainc.cli.commands import COMMANDS, load
from trainc.cli.invocation import keep_directory
from trainc.cli.parameters import InvalidParameter, parameters
from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible
from trainc.schema.cures.aliases import fields_called
from trainc.schema.fields import paths_by_name
from trainc.schema.hints import nearest
from trainc.secrets.text import redact
from trainc.systems.registry import COMMAND_NAMES, script_reader

_BACKEND_OPTIONS = ("--system", "--to", "--platform", "--operator", "--scheduler")
_FILE_OPTIONS = ("-f", "--file", "--files", "--filename", "--input", "--job-file")

TYPED = "command"  # the word before a launch command in place of files
_MAX_SHOWN = 500  # characters of a command in a message


def without_launch_command(arguments: list[str]) -> tuple[list[str], InvalidParameter | None]:
    """Return the arguments of a command with `--` before those of a launch command, and the error that explains it."""
    if arguments[0] == "import":
        corrected, error = without_backend(arguments)
        corrected, error = missing_dashes(corrected) if error is None else (corrected, error)
        if error is not None:
            return corrected, error
    takes_files = arguments[0] in COMMANDS and any(
        each.is_list and not each.flags for each in parameters(load(arguments[0])).values()
    )
    return _misread(arguments) if takes_files and "--" not in arguments else (arguments, None)


def _misread(arguments: list[str]) -> tuple[list[str], InvalidParameter | None]:
    for index, word in enumerate(arguments):
        is_value = index > 0 and arguments[index - 1].startswith("-") and "=" not in arguments[index - 1]
        if not index or is_value or word.startswith("-"):
            continue
        error = launch_command_as_files(arguments[index:])
        if error is not None:
            return [arguments[0], "--", *arguments[index:]], error
    return arguments, None


def launch_command_as_files(words: list[str]) -> InvalidParameter | None:
    """Return the error about a launch command in place of files; None for other words."""
    advice = import_advice(words)
    if advice is None:
        return None
    return InvalidParameter(f"`{visible(words[0].split()[0])}` is a command, not a file: {advice}", "FILE...")


def missing_file_help(name: str, files: list[str]) -> str | None:
    """Return the help about a missing file, which may be a directory. Raises InvalidParameter for a launch command."""
    if name == files[0]:
        error = launch_command_as_files(files)
        if error is not None:
            raise error
    if name.startswith("-") or os.path.splitext(name)[1]:
        return None
    return f"if it was a directory whose last job was deleted, {keep_directory(name)}"


def import_advice(words: list[str]) -> str | None:
    """Return the advice to import the command that words start, or the part of it that a launcher starts."""
    is_whole = len(words) == 1 and " " in words[0].strip()  # one argument with a whole command line
    if os.path.lexists(words[0]) or (len(words) == 1 and not is_whole):
        return None
    reader = script_reader()
    script = reader.read_script(reader.command_source(words))
    unread = next((each for each in script.diagnostics if each.code is codes.NO_LAUNCH_COMMAND), None)
    return unread.help if unread else f"run `{_import(words)}`"


def missing_dashes(arguments: list[str]) -> tuple[list[str], InvalidParameter | None]:
    """Return the arguments of `trainc import` with `--` before the options of a launch command, and the error."""
    start = next((index for index, word in enumerate(arguments) if word in (TYPED, *COMMAND_NAMES)), len(arguments))
    command = arguments[start + 1 :]
    if "--" in arguments or not any(word.startswith("-") for word in command):
        return arguments, None
    start += arguments[start] == TYPED
    corrected = [*arguments[:start], "--", *arguments[start:]]
    return corrected, InvalidParameter(f"`--` is missing before the command: trainc {_shown(corrected)}", "FILE...")


def typed_command(command: list[str]) -> InvalidParameter:
    """Return the error of a command other than import about a launch command in place of files."""
    return InvalidParameter(f"only import reads a typed command: {_import(command)}", "FILE...")


def _import(command: list[str]) -> str:
    return f"trainc import {TYPED} --set spec.image=IMAGE -- {_shown(command) if command else 'COMMAND'}"


def _shown(words: list[str]) -> str:
    """Return a command line as it can be typed, or COMMAND for a long one and one with a secret."""
    text = shlex.join(words)
    return "COMMAND" if len(text) > _MAX_SHOWN or redact(text) != text else visible(text)


def without_backend(arguments: list[str]) -> tuple[list[str], InvalidParameter | None]:
    """Return the arguments of `trainc import` without --backend, which it doesn't have, and the error."""
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    start = next((index for index, word in enumerate(words) if re.match(r"-b|--backend(=|$)", word)), None)
    if start is None:
        return arguments, None
    name = re.sub(r"-b=?|--backend=?", "", words[start], count=1) or (words[start + 1 :] or ["BACKEND"])[0]
    end = start + (2 if words[start] in ("-b", "--backend") else 1)
    use = f"`trainc compile FILE --backend {visible(name)}` compiles it, and reports what changes on that back end"
    error = InvalidParameter(f"import writes a job file, which is the same for all back ends; {use}", "--backend")
    return [*arguments[:start], *arguments[end:]], error


def option_help(name: str, options: list[str]) -> str:
    """Return the help about an unknown option of a command that has `options`: it may mean a field of the job."""
    if "--backend" in options and name in _BACKEND_OPTIONS:
        return "`--backend NAME` selects the system"
    if name in _FILE_OPTIONS:
        return "write the files without an option before them"
    near = nearest(name, options)
    fields = dict.fromkeys([*paths_by_name(name), *fields_called(name)]) if "--set" in options else {}
    if near and (not fields or name.startswith(near)):
        return f"did you mean `{near}`?"
    first = next(iter(fields), "")
    is_of_launcher = first.startswith("spec.launch.")
    more = ", or that of the job's launcher" if is_of_launcher and len(fields) > 1 else ""
    return f"set the job's field by `--set {first}=VALUE`{more}" if first else ""
