"""`--changed-since`: job files that differ from those of a git revision, and those that git doesn't track."""

from __future__ import annotations

import os

from trainc.cli.git import commit, git
from trainc.source.load import MAXIMUM_BYTES
from trainc.spec.storage import FILES

OPTION = "--changed-since"
_LOCAL_FILES = f"{FILES}:".encode()


def changed_files(files: list[str], revision: str) -> list[str]:
    """Return the files with changes since a revision, also in local files next to a job that has some.

    Files that git doesn't track, as those of another repository, and standard input are changed. Raises
    InvalidParameter without git, outside of a repository and for an unknown revision.
    """
    changes = _Changes(revision)
    return [name for name in files if name == "-" or changes.concern(name)]


def has_changes(files: list[str], revision: str, output: str) -> bool:
    """Return whether a file of the output may be out of date, be left over, or have been edited.

    Raises the errors of `changed_files`.
    """
    changes = _Changes(revision)
    return (
        not os.path.lexists(output)
        or changes.have_removed_yaml
        or changes.are_below(output)
        or any(map(changes.concern, files))
    )


class _Changes:
    """Differences of the working tree from a revision."""

    def __init__(self, revision: str) -> None:
        top = os.fsdecode(git(OPTION, "rev-parse", "--show-toplevel")).removesuffix("\n")
        self._root = os.path.realpath(top)
        since = commit(OPTION, revision)
        self._changed = self._paths("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", since, "--")
        self._tracked = self._paths("ls-files", "-z")
        self._below: dict[str, bool] = {}

    def _paths(self, *arguments: str) -> set[str]:
        """Return the absolute paths that a git command in the root lists."""
        names = os.fsdecode(git(OPTION, *arguments, root=self._root)).split("\0")
        return {os.path.join(self._root, name) for name in names if name}

    @property
    def have_removed_yaml(self) -> bool:
        """Return whether a file that may have been a job is gone or renamed."""
        return any(name.endswith((".yaml", ".yml")) and not os.path.lexists(name) for name in self._changed)

    def concern(self, name: str) -> bool:
        """Return whether a job file, its target if it is a link, or a local file next to it has changed."""
        folder, base = os.path.split(os.path.abspath(name))
        paths = {os.path.join(os.path.realpath(folder), base), os.path.realpath(name)}
        if not paths.isdisjoint(self._changed) or not paths <= self._tracked:
            return True
        if not may_have_local_files(name):
            return False
        if folder not in self._below:
            self._below[folder] = self.are_below(folder)
        return self._below[folder]

    def are_below(self, path: str) -> bool:
        """Return whether a path, or a file below it, has changed or isn't tracked."""
        real = os.path.realpath(path)
        if any(f"{name}/".startswith(f"{real}/") for name in self._changed) or not self._is_inside(real):
            return True
        return bool(self._paths("ls-files", "--others", "-z", "--", real))

    def _is_inside(self, path: str) -> bool:
        return os.path.commonpath([self._root, path]) == self._root


def may_have_local_files(name: str) -> bool:
    """Return whether a job file may have volumes of local files."""
    try:
        with open(name, "rb") as file:
            return _LOCAL_FILES in file.read(MAXIMUM_BYTES)
    except OSError:  # it is reported where it is read
        return True
