"""Substitutes for the image: this machine's Python, and a program in place of the job's."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from trainc.record import Record
from trainc.rehearse.events import RehearsalError

BIN = "/run/trainc-rehearse/bin"
DEFAULT_FOLDER = "/workspace"  # working directory of a container without `workingDir`, in place of the image's
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # Docker's default
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_PRINT_PATHS = "import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix, *sys.path[1:]]))"
_PRINT_MISSING = (
    "import importlib.util, sys; print(*(name for name in sys.argv[1:] if not importlib.util.find_spec(name)))"
)
_PROGRAM = "/run/trainc-rehearse/program"
_IDLE_PROGRAMS = ("sleep", "sshd", "tail")  # what a job in debug mode runs instead of its program


class Python(Record):
    """A Python of this machine: its executable, and the directories outside /usr that it needs."""

    executable: str
    folders: tuple[str, ...]

    @property
    def env(self) -> dict[str, str]:
        """Environment that an image with this Python would set."""
        return {"PATH": f"{BIN}:{os.path.dirname(self.executable)}:{_PATH}"}


def inspect_python(python: str) -> Python:
    """Return the directories of a Python. Raises RehearsalError if it doesn't run."""
    executable, *folders = json.loads(_run_python(python, _PRINT_PATHS))
    folders += [os.path.dirname(os.path.realpath(executable))]
    mounted = ("/usr/", "/nix/store/", "/gnu/store/")  # by rootfs.py
    others = {path for path in folders if os.path.isdir(path) and not f"{path}/".startswith(mounted)}
    roots = [path for path in sorted(others) if not any(path.startswith(other + "/") for other in others)]
    return Python(executable=executable, folders=tuple(roots))


def require_modules(python: str, modules: Sequence[str]) -> None:
    """Raise RehearsalError if a Python lacks one of the modules.

    Otherwise the pods would find the launcher of another Python behind it on PATH.
    """
    missing = _run_python(python, _PRINT_MISSING, *modules).split()
    if missing:
        raise RehearsalError(
            f"{python} has no {' and no '.join(missing)}: run `pip install {' '.join(missing)}`, "
            "or select another --python"
        )


def _run_python(python: str, code: str, *arguments: str) -> str:
    try:
        return subprocess.run([python, "-I", "-c", code, *arguments], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as problem:
        raise RehearsalError(f"{python} doesn't run as a Python: {problem}") from problem


class Placement(Record):
    """Placement of a program: its directory is shown at `at`, and `files` by path; nowhere if `at` is empty."""

    at: str
    files: dict[str, str]


NOT_PLACED = Placement(at="", files={})


def is_idle(command: Sequence[str]) -> bool:
    """Return whether a command only waits, like that of a pod in debug mode."""
    return os.path.basename(parse_command(command)[1]) in _IDLE_PROGRAMS


def place_program(command: Sequence[str], folder: str, program: Path, python: str, scratch: Path) -> Placement:
    """Place a program where a command, run in a directory, looks for its own; `scratch` is for new files."""
    scratch.mkdir(parents=True, exist_ok=True)
    kind, name = parse_command(command)
    if kind == "text" or is_idle(command):
        return NOT_PLACED
    if kind == "exec":
        path = os.path.join(folder, name) if "/" in name else f"{BIN}/{name}"
        shim = _write_script(scratch / "shim", f'exec {python} -u {_PROGRAM}/{program.name} "$@"')
        return Placement(at=_PROGRAM, files={os.path.normpath(path): str(shim)})
    if kind == "module":
        *packages, last = name.split(".")
        files = {}
        empty = scratch / "empty"
        empty.touch()
        for depth in range(1, len(packages) + 1):
            if depth < len(packages) or not (program.parent / "__init__.py").exists():
                files[os.path.join(folder, *packages[:depth], "__init__.py")] = str(empty)
        path = os.path.join(folder, *packages, f"{last}.py")
        return Placement(at=os.path.dirname(path), files={**files, path: str(program)})
    path = os.path.normpath(os.path.join(folder, name))
    return Placement(at=os.path.dirname(path), files={path: str(program)})


def _write_script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def write_shims(python: str, scratch: Path) -> dict[str, str]:
    """Write programs that images have and this machine may lack; return them by their paths in a container."""
    shims = {}
    folder = os.path.dirname(python)
    for name in ("python", "python3"):
        if not os.path.exists(f"{folder}/{name}"):
            shims[f"{BIN}/{name}"] = str(_write_script(scratch / name, f'exec {python} "$@"'))
    if not shutil.which("nslookup", path=_PATH):
        shims[f"{BIN}/nslookup"] = str(_write_script(scratch / "nslookup", 'exec getent hosts "$1"'))
    return shims


def parse_command(command: Sequence[str]) -> tuple[Literal["python", "module", "text", "exec"], str]:
    """Return how a command starts its program, and the program; it is empty for Python code in an argument."""
    if not command or not _PYTHON.fullmatch(command[0]):
        return "exec", command[0] if command else ""
    arguments: Iterator[str] = iter(command[1:])
    for argument in arguments:
        if argument == "-m":
            return "module", next(arguments, "")
        if argument == "-c":
            return "text", ""
        if argument in ("-W", "-X"):
            next(arguments, "")
        elif not argument.startswith("-"):
            return "python", argument
    return "text", ""
