"""Recorded decisions of launchers, which unit tests compare trainc with, are those of the installed ones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[3] / "tools"


@pytest.mark.parametrize("tool", ["accelerate_cases.py", "command_corpus.py", "ray_corpus.py"])
def test_a_record_is_that_of_the_installed_launchers(python: str, tool: str) -> None:
    done = subprocess.run([python, str(TOOLS / tool), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
