"""Files of a git revision, in a temporary directory."""

from __future__ import annotations

import os
import tarfile
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
    listed = git(_OPTION, "ls-tree", "-r", "-z", "--name-only", tree, "--", path, root=root)
    paths = [each for each in os.fsdecode(listed).split("\0") if each]
    paths = [each for each in paths if not is_directory or each.endswith(EXTENSIONS)]
    if not paths:
        return ""
    os.mkdir(folder)
    _extract(root, tree, paths, folder)
    copies = [os.path.join(folder, each) for each in paths]
    if any(map(may_have_local_files, copies)):
        _extract(root, tree, [os.curdir], folder)  # the files of volumes, which are below the job file
    return folder if is_directory else copies[0]


def _extract(root: str, tree: str, paths: list[str], folder: str) -> None:
    content = git(_OPTION, "archive", "--format=tar", tree, "--", *paths, root=root)
    with tarfile.open(fileobj=BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")
