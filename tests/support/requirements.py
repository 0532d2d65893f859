"""Programs and files that not every machine has."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from tests.support.facts import corpus_folder


def unavailable(reason: str, variable: str) -> NoReturn:
    """Skip a test, or fail if a variable, as of a machine that has to run it, is 1."""
    if os.environ.get(variable) == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def npm() -> str:
    """Return npm; skip without it or without node, or fail if TRAINC_REQUIRE_NPM is 1."""
    program = shutil.which("npm")
    if program is None or shutil.which("node") is None:
        unavailable("npm and node are not installed", "TRAINC_REQUIRE_NPM")
    return program


def npm_install(folder: Path, *arguments: str) -> None:
    """Install packages of npm in a folder: those of its package.json, or others."""
    command = [npm(), "install", "--silent", "--no-audit", "--no-fund", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def public_jobs() -> Path:
    """Return the folder of public jobs; skip a test or a module without it."""
    folder = corpus_folder()
    if folder is None:
        reason = "no public jobs: no ../shared/corpus, and TRAINC_CORPUS names no folder"
        pytest.skip(reason, allow_module_level=True)
    return folder
