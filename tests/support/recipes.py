"""Pages of docs/recipes as they stand: their files, and their commands with the output that they show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import yaml

from tests.cluster import binaries
from tests.support import go_programs, requirements
from tests.support.command import clean_environment
from tests.support.files import write_all

PAGES = Path(__file__).resolve().parents[2] / "docs" / "recipes"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def require(name: str) -> Path:
    """Return kustomize or helm; skip without it, or fail if TRAINC_REQUIRE_RENDERERS is 1."""
    try:
        return go_programs.program(name)
    except (OSError, subprocess.SubprocessError) as reason:
        unavailable(name, reason)


def kubectl() -> Path:
    """Return the real kubectl; skip without it, or fail if TRAINC_REQUIRE_RENDERERS is 1."""
    try:
        return Path(binaries.kubectl())
    except binaries.UnavailableError as reason:
        unavailable("kubectl", reason)


def unavailable(name: str, reason: object) -> NoReturn:
    """Skip a test without a program, or fail if TRAINC_REQUIRE_RENDERERS is 1."""
    requirements.unavailable(f"{name} is not available: {reason}", "TRAINC_REQUIRE_RENDERERS")


class Command(NamedTuple):
    """Command of a page and the lines of output below it; none is no statement about the output."""

    text: str
    output: list[str]


def text(name: str) -> str:
    """Return the text of a page."""
    return (PAGES / f"{name}.md").read_text("utf-8")


def blocks(name: str) -> dict[str, str]:
    """Return the files of a page: blocks whose first line is a comment with a path."""
    files = {}
    for _, body in _BLOCK.findall(text(name)):
        first, _, rest = body.partition("\n")
        if path := re.fullmatch(r"# ([\w./-]*[\w-])", first):
            files[path[1]] = rest
    return files


def commands(name: str) -> list[Command]:
    """Return the commands of the console blocks of a page; a line that ends with a backslash continues."""
    found: list[Command] = []
    for language, body in _BLOCK.findall(text(name)):
        for line in body.replace("\\\n", "").splitlines() if language == "console" else []:
            if line.startswith("$ "):
                found.append(Command(line[2:], []))
            else:
                found[-1].output.append(line)
    return found


def write(name: str, folder: Path) -> None:
    """Write the files of a page into a folder."""
    write_all(folder, blocks(name))


def run(command: str | list[str], folder: Path, *programs: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in a shell, or a program, with trainc and other programs on PATH."""
    path = os.pathsep.join(
        [*(str(each.parent) for each in programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    )
    words = ["bash", "-eo", "pipefail", "-c", command] if isinstance(command, str) else command
    return subprocess.run(
        words,
        check=False,
        cwd=folder,
        env=clean_environment(PATH=path, HOME=str(folder), **env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )


def check(command: Command, folder: Path, *programs: Path, **env: str) -> None:
    """Run a command of a page, and compare the output that the page shows; `...` is any lines."""
    done = run(command.text, folder, *programs, **env)
    printed = done.stdout + done.stderr
    assert done.returncode == 0, f"{command.text}: {printed}"
    if command.output:
        pattern = "".join(".*" if line == "..." else re.escape(line) + "\n" for line in command.output)
        assert re.fullmatch(pattern, printed, re.DOTALL), f"{command.text}: {printed}"


def run_page(name: str, folder: Path, *programs: Path, **env: str) -> Path:
    """Write the files of a page into a folder, run its commands there, and return the folder."""
    write(name, folder)
    for command in commands(name):
        check(command, folder, *programs, **env)
    return folder


def objects(manifests: str) -> dict[tuple[str, str], Any]:
    """Return objects by kind and name."""
    return {(each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(manifests)}
