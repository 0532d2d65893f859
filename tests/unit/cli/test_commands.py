"""Every command is a file of its own, and only the one that is asked for is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import clean_environment
from trainc.cli.app import COMMANDS

FOLDER = Path(__file__).resolve().parents[3] / "compiler" / "trainc" / "cli" / "commands"


def test_every_file_is_a_command() -> None:
    assert set(COMMANDS.values()) == {file.stem for file in FOLDER.glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_imports_no_other(name: str) -> None:
    script = f"""
import sys
from trainc.cli.app import app
app({name!r})([{name!r}, "--help"], standalone_mode=False)
print(sorted(one for one in sys.modules if one.startswith("trainc.cli.commands.")))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=clean_environment(), check=True, text=True
    )
    assert done.stdout.splitlines()[-1] == f"['trainc.cli.commands.{COMMANDS[name]}']"
