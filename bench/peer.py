"""Peers: TorchX, the most similar tool, in its own virtual environment, and kubectl, kustomize and helm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cluster import binaries
from tests.support import go_programs

REQUIREMENT = "torchx[kubernetes]==0.7.0"
FOLDER = Path(__file__).resolve().parents[1] / ".tools" / "torchx"


def torchx() -> str | None:
    """Return the torchx command, installed once; None if the installation fails."""
    command = FOLDER / "bin" / "torchx"
    if not command.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True, capture_output=True)
            pip = [str(FOLDER / "bin" / "pip"), "install", "--quiet", REQUIREMENT]
            subprocess.run(pip, check=True, capture_output=True)
        except subprocess.CalledProcessError as problem:
            print(f"bench: cannot install torchx: {problem.stderr.decode()[-200:]}", file=sys.stderr)
            return None
    return str(command)


def kubectl() -> str | None:
    """Return the kubectl of the cluster tests or on PATH, None if there is none."""
    try:
        return binaries.kubectl()
    except binaries.UnavailableError:
        return None


def go_program(name: str) -> str | None:
    """Return kustomize or helm, built once; None if the build fails."""
    try:
        return str(go_programs.program(name))
    except (OSError, subprocess.SubprocessError) as problem:
        print(f"bench: cannot build {name}: {str(getattr(problem, 'stderr', problem))[-200:]}", file=sys.stderr)
        return None
