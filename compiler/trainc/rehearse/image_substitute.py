"""What stands in for the image: the interpreter that is used, and a program in the place of the job's own."""

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
DEFAULT_FOLDER = "/workspace"  # where a container starts whose manifest doesn't say; an image says itself
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # as Docker sets it
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_ASK = "import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix, *sys.path[1:]]))"
_PROGRAM = "/run/trainc-rehearse/program"
_WAITS = ("sleep", "sshd", "tail")  # what a job in debug mode does in the place of its program


class Interpreter(Record):
    """A Python of the machine: itself, and the folders that it needs beside /usr."""

    executable: str
    folders: tuple[str, ...]

    @property
    def env(self) -> dict[str, str]:
        """What an image with it would set."""
        return {"PATH": f"{BIN}:{os.path.dirname(self.executable)}:{_PATH}"}


def inspect_python(python: str) -> Interpreter:
    """Raises RehearsalError for what is no Python."""
    try:
        done = subprocess.run([python, "-I", "-c", _ASK], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise RehearsalError(f"{python} is no Python that runs: {problem}") from problem
    executable, *folders = json.loads(done.stdout)
    folders += [os.path.dirname(os.path.realpath(executable))]
    outside = {one for one in folders if os.path.isdir(one) and not f"{one}/".startswith(("/usr/", "/opt/", "/nix/"))}
    least = [one for one in sorted(outside) if not any(one.startswith(other + "/") for other in outside)]
    return Interpreter(executable=executable, folders=tuple(least))


def require_modules(python: str, modules: Sequence[str]) -> None:
    """Raises RehearsalError if this Python lacks one of the modules.

    Without them the launcher of another Python would be found behind it on PATH.
    """
    script_ = "import importlib.util, sys; print(*(one for one in sys.argv[1:] if not importlib.util.find_spec(one)))"
    try:
        done = subprocess.run([python, "-I", "-c", script_, *modules], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise RehearsalError(f"{python} is no Python that runs: {problem}") from problem
    lacking = done.stdout.split()
    if lacking:
        cure = "pip install 'trainc[rehearse]' brings torch" if "torch" in lacking else f"pip install {lacking[0]}"
        raise RehearsalError(f"{python} has no {' and no '.join(lacking)}: {cure}; or name one that has by --python")


class Placement(Record):
    """Where a program goes: what is in its folder `at` a path, and files by their paths. Nowhere if `at` is empty."""

    at: str
    files: dict[str, str]


NOT_PLACED = Placement(at="", files={})


def is_idle(words: Sequence[str]) -> bool:
    """Whether a command line only waits for somebody to come, as a pod in debug mode does."""
    return os.path.basename(parse_command(words)[1]) in _WAITS


def place_program(words: Sequence[str], folder: str, program: Path, python: str, scratch: Path) -> Placement:
    """A program in the place of that of a command line, which is started in a folder.

    `scratch` is for what has to be made.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    kind, name = parse_command(words)
    if kind == "text" or is_idle(words):
        return NOT_PLACED
    if kind == "exec":
        path = os.path.join(folder, name) if "/" in name else f"{BIN}/{name}"
        shim = script(scratch / "shim", f'exec {python} -u {_PROGRAM}/{program.name} "$@"')
        return Placement(at=_PROGRAM, files={os.path.normpath(path): str(shim)})
    if kind == "module":
        *packages, last = name.split(".")
        files = {}
        empty = scratch / "empty"
        empty.touch()
        for deep in range(1, len(packages) + 1):
            if deep < len(packages) or not (program.parent / "__init__.py").exists():
                files[os.path.join(folder, *packages[:deep], "__init__.py")] = str(empty)
        path = os.path.join(folder, *packages, f"{last}.py")
        return Placement(at=os.path.dirname(path), files={**files, path: str(program)})
    path = os.path.normpath(os.path.join(folder, name))
    return Placement(at=os.path.dirname(path), files={path: str(program)})


def script(path: Path, text: str) -> Path:
    """A program of one line for the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def shims(python: str, scratch: Path) -> dict[str, str]:
    """By their paths, programs that images have and the machine may lack."""
    found = {}
    beside = os.path.dirname(python)
    for name in ("python", "python3"):
        if not os.path.exists(f"{beside}/{name}"):
            found[f"{BIN}/{name}"] = str(script(scratch / name, f'exec {python} "$@"'))
    if not shutil.which("nslookup", path=_PATH):
        found[f"{BIN}/nslookup"] = str(script(scratch / "nslookup", 'exec getent hosts "$1"'))
    return found


def parse_command(words: Sequence[str]) -> tuple[Literal["python", "module", "text", "exec"], str]:
    """How a command line starts its program, and which."""
    if not words or not _PYTHON.fullmatch(words[0]):
        return "exec", words[0] if words else ""
    following: Iterator[str] = iter(words[1:])
    for word in following:
        if word == "-m":
            return "module", next(following, "")
        if word == "-c":
            return "text", ""
        if word in ("-W", "-X"):
            next(following, "")
        elif not word.startswith("-"):
            return "python", word
    return "text", ""
