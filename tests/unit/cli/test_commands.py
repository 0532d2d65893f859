"""Each command has its own module or package, which is imported only for that command."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.support.imports import imported_modules
from trainc.cli.commands import COMMANDS

FOLDER = Path(__file__).resolve().parents[3] / "compiler" / "trainc" / "cli" / "commands"
PREFIX = "trainc.cli.commands."


def package(name: str) -> str:
    """Return the name of the package or module of a command."""
    return COMMANDS[name].partition(".")[0]


def test_every_module_is_a_command() -> None:
    modules = {each.stem for each in FOLDER.iterdir()} - {"__init__", "__pycache__"}
    assert {package(name) for name in COMMANDS} == modules


def test_every_command_has_a_function() -> None:
    for path in COMMANDS.values():
        module, _, function = path.rpartition(".")
        assert callable(getattr(import_module(PREFIX + module), function)), path


def test_help_of_a_command_imports_no_other_command() -> None:
    program = "from trainc.cli.app import app\napp({0!r})([{0!r}, '--help'], standalone_mode=False)"
    runs = imported_modules(*((program.format(name), "") for name in COMMANDS))
    for name, modules in zip(COMMANDS, runs, strict=True):
        assert {module for module in modules if module.startswith(PREFIX)} == {PREFIX + package(name)}
