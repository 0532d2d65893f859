"""Files of a git revision, in a temporary directory."""

from __future__ import annotations

import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO

from trainc.cli.directories import EXTENSIONS
from trainc.cli.parameters import InvalidParameter


@contextmanager
def revision(name: str, files: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths of copies of files and directories at a revision, empty for those that it lacks.

    Raises InvalidParameter for a revision or a path that git doesn't know.
    """
    with tempfile.TemporaryDirectory(prefix="trainc-") as folder:
        yield [_copy(name, file, os.path.join(folder, str(number))) for number, file in enumerate(files)]


def _copy(name: str, file: str, folder: str) -> str:
    """Copy a file, or the YAML files of a directory; return the path of the copy, empty if the revision lacks it."""
    is_directory = os.path.isdir(file)
    root = file if is_directory else os.path.dirname(file) or os.curdir
    commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").decode().strip()
    if not commit:
        raise InvalidParameter(f"git knows no revision {name!r}", "--git")
    path = os.curdir if is_directory else os.path.basename(file)
    listed = _git(root, "ls-tree", "-r", "-z", "--name-only", commit, "--", path).decode("utf-8", "surrogateescape")
    paths = [each for each in listed.split("\0") if each and (not is_directory or each.endswith(EXTENSIONS))]
    if not paths:
        return ""
    os.mkdir(folder)
    _extract(root, commit, paths, folder)
    copies = [os.path.join(folder, each) for each in paths]
    if any(map(_names_files, copies)):
        _extract(root, commit, [os.curdir], folder)  # local files of volumes, which are below the job file
    return folder if is_directory else copies[0]


def _names_files(file: str) -> bool:
    with open(file, "rb") as content:
        return b"files:" in content.read()


def _extract(root: str, commit: str, paths: list[str], folder: str) -> None:
    content = _git(root, "archive", "--format=tar", commit, "--", *paths)
    with tarfile.open(fileobj=BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")


def _git(root: str, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", "-C", root, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise InvalidParameter(f"git can't be run: {problem}", "--git") from None
    if done.returncode and not (arguments[0] == "rev-parse" and done.returncode == 1):
        message = " ".join(done.stderr.decode(errors="replace").split()).removeprefix("fatal: ")
        raise InvalidParameter(message or f"git exited with {done.returncode}", "--git")
    return done.stdout
