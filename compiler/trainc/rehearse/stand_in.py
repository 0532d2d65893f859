"""What stands in for the image: the interpreter that is used, and a program in the place of the job's own."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from trainc.record import Record
from trainc.rehearse.events import RehearsalError

BIN = "/run/trainc-rehearse/bin"
FOLDER = "/workspace"  # where a container starts whose manifest doesn't say; an image says itself
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # as Docker sets it
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_ASK = "import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix, *sys.path[1:]]))"
# Folders that hold more than a program.
_COMMON = {"", "bin", "etc", "home", "lib", "media", "mnt", "opt", "root", "run", "sbin", "srv", "tmp", "usr", "var"}
_COMMON |= {"usr/bin", "usr/local", "usr/local/bin", "usr/sbin", "usr/lib", "var/run", "var/tmp"}


class Interpreter(Record):
    """A Python of the machine: itself, and the folders that it needs beside /usr."""

    executable: str
    folders: tuple[str, ...]

    @property
    def env(self) -> dict[str, str]:
        """What an image with it would set."""
        return {"PATH": f"{BIN}:{os.path.dirname(self.executable)}:{_PATH}", "HOME": "/root"}


def interpreter(python: str) -> Interpreter:
    """Raises RehearsalError for what is no Python."""
    try:
        done = subprocess.run([python, "-I", "-c", _ASK], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise RehearsalError(f"{python} is no Python that runs: {problem}") from problem
    executable, *folders = json.loads(done.stdout)
    folders += [os.path.dirname(os.path.realpath(executable))]
    outside = {one for one in folders if os.path.isdir(one) and not one.startswith(("/usr/", "/opt/", "/nix/"))}
    least = [one for one in sorted(outside) if not any(one.startswith(other + "/") for other in outside)]
    return Interpreter(executable=executable, folders=tuple(least))


class Placed(Record):
    """Where a program goes: its folder `at` a path, if it goes anywhere, and files by their paths."""

    at: str
    files: dict[str, str]


def placed(words: Sequence[str], folder: str, program: Path, python: str, scratch: Path) -> Placed:
    """A program in the place of that of a command line, which is started in a folder."""
    kind, name = what(words)
    scratch.mkdir(parents=True, exist_ok=True)
    if kind == "text":
        return Placed(at="", files={})
    if kind == "exec":
        path = os.path.join(folder, name) if "/" in name else f"{BIN}/{name}"
        inside = f"{BIN}/{program.name}"
        shim = scratch / "shim"
        shim.write_text(f'#!/bin/sh\nexec {python} -u {inside} "$@"\n')
        shim.chmod(0o755)
        return Placed(at="", files={os.path.normpath(path): str(shim), inside: str(program)})
    if kind == "module":
        parts = name.split(".")
        empty = scratch / "__init__.py"
        empty.touch()
        files = {os.path.join(folder, *parts[:deep], "__init__.py"): str(empty) for deep in range(1, len(parts))}
        return Placed(at=_own(folder), files={**files, os.path.join(folder, *parts) + ".py": str(program)})
    path = os.path.normpath(os.path.join(folder, name))
    return Placed(at=_own(os.path.dirname(path)), files={path: str(program)})


def what(words: Sequence[str]) -> tuple[Literal["python", "module", "text", "exec"], str]:
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


def _own(folder: str) -> str:
    return "" if folder.strip("/") in _COMMON else folder
