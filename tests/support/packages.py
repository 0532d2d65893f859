"""Build the wheel and the sdist from a copy of the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.support.command import clean_environment
from tests.support.examples import ROOT
from tests.support.git import copy_checkout

EPOCH = "1700000000"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
WHEEL, SDIST, ONE_FILE = f"trainc-{VERSION}-py3-none-any.whl", f"trainc-{VERSION}.tar.gz", f"trainc-{VERSION}.pyz"


def build(source: Path, folder: Path, *options: str, umask: int = 0o022, **env: str) -> dict[str, bytes]:
    """Return the bytes of the built packages by name."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), *options]
    variables = clean_environment(SOURCE_DATE_EPOCH=EPOCH, **env)
    subprocess.run(command, cwd=source, env=variables, umask=umask, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def copy_sources(folder: Path) -> Path:
    """Copy the files of the repository, with other times and modes."""
    for target in copy_checkout(folder).rglob("*"):
        if target.is_file():
            os.utime(target, (1, 1_000_000_000))
            target.chmod(0o600)
    return folder
