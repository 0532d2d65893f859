"""TorchX, the nearest tool in the field, in a venv of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REQUIREMENT = "torchx[kubernetes]==0.7.0"
FOLDER = Path(__file__).parent.parent / ".tools" / "torchx"


def torchx() -> Path | None:
    """The torchx command, installed once; None where it can't be had."""
    command = FOLDER / "bin" / "torchx"
    if not command.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True, capture_output=True)
            pip = [str(FOLDER / "bin" / "pip"), "install", "--quiet", REQUIREMENT]
            subprocess.run(pip, check=True, capture_output=True)
        except subprocess.CalledProcessError as problem:
            print(f"bench: no torchx: {problem.stderr.decode()[-200:]}", file=sys.stderr)
            return None
    return command
