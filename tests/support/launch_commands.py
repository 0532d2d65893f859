"""Launch commands as they are read from a script."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.source.node import Mapping
from trainc.source.overrides import Override
from trainc.systems.command.reader import command_source, read_script
from trainc.systems.command.reader.script import find_launch
from trainc.systems.shared.reader.launch_command import CommandReport, LaunchCommand, ReadScript, Settings


def parsed_command(arguments: Sequence[str]) -> LaunchCommand:
    """Return the command that a script of these words, quoted for a shell, has."""
    source = command_source(arguments)
    command = find_launch(source, CommandReport(Settings(Mapping({}, source.span_at(0)))), is_typed=False)
    assert command is not None
    return command


def read_command(arguments: Sequence[str], *settings: str) -> ReadScript:
    """Return what is read of a command and of values of `--set`."""
    return read_script(command_source(arguments), [Override(setting) for setting in settings])
