"""Recorded decisions of launchers, which unit tests compare trainc with, are those of the installed ones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("tool", ["accelerate_cases", "command_corpus", "ray_corpus"])
def test_a_record_is_that_of_the_installed_launchers(python: str, tool: str) -> None:
    command = [python, "-m", f"tools.{tool}", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
