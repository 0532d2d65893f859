"""Files of a git revision, in a temporary directory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO

from trainc.cli.changed import may_have_local_files
from trainc.cli.directories import EXTENSIONS
from trainc.cli.git import commit, git

_OPTION = "--git"


@contextmanager
def copies_at(revision: str, files: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths of copies of files and directories at a revision, empty for those that it lacks.

    Raises InvalidParameter for a revision or a path that git doesn't know.
    """
    with tempfile.TemporaryDirectory(prefix="trainc-") as folder:
        yield [_copy(revision, file, os.path.join(folder, str(number))) for number, file in enumerate(files)]


def _copy(revision: str, file: str, folder: str) -> str:
    """Copy a file, or the YAML files of a directory; return the path of the copy, empty if the revision lacks it."""
    is_directory = os.path.isdir(file)
    root = file if is_directory else os.path.dirname(file) or os.curdir
    tree = commit(_OPTION, revision, root)
    path = os.curdir if is_directory else os.path.basename(file)
    inside = _paths(root, tree, path)
    copies = _write(root, tree, [each for each in inside if not is_directory or each.endswith(EXTENSIONS)], folder)
    if not copies:
        return ""
    if any(map(may_have_local_files, copies)):
        _write(root, tree, _paths(root, tree, os.curdir), folder)  # the files of volumes, which are below the job file
    return folder if is_directory else copies[0]


def _paths(root: str, tree: str, path: str) -> list[str]:
    """Return the paths of a file, or of all files below a directory, from `root`."""
    listed = git(_OPTION, "ls-tree", "-r", "-z", "--name-only", tree, "--", path, root=root)
    names = os.fsdecode(listed).split("\0")
    return [each for each in names if each and "\n" not in each and ".." not in each.split("/")]


def _write(root: str, tree: str, paths: Sequence[str], folder: str) -> list[str]:
    """Copy files as they are in the revision, in place of links their targets in the repository; return the copies."""
    request = os.fsencode("".join(f"{tree}:./{path}\n" for path in paths))
    answers = BytesIO(git(_OPTION, "cat-file", "--batch", "--follow-symlinks", root=root, stdin=request))
    copies = []
    for path in paths:
        kind, _, size = answers.readline().rpartition(b" ")
        if not size.strip().isdigit():  # missing: a submodule
            continue
        content = answers.read(int(size))
        answers.readline()
        if not kind.endswith(b" blob"):  # a link out of the repository, or a dangling one
            continue
        copies.append(os.path.join(folder, path))
        os.makedirs(os.path.dirname(copies[-1]), exist_ok=True)
        with open(copies[-1], "wb") as file:
            file.write(content)
    return copies
