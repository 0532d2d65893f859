"""`--changed-since`: job files that differ from those of a git revision, and those that git doesn't track."""

from __future__ import annotations

import os
from collections.abc import Sequence

from trainc.cli.git import SUBMODULE, Repository
from trainc.source.load import MAXIMUM_BYTES
from trainc.spec.storage import FILES
from trainc.typenames import TYPE_CHECKING
from trainc.well_known import PROJECT_FILE

if TYPE_CHECKING:
    from trainc.project.projects import Projects

OPTION = "--changed-since"
_LOCAL_FILES = f"{FILES}:".encode()


def changed_files(
    files: list[str], revision: str, projects: Projects | None = None, values: Sequence[str] = ()
) -> list[str]:
    """Return the files with changes since a revision, also in their project files with the entries of clusters and own
    checks, and in local files next to a job.

    `values` are files whose values all jobs have. Files that git doesn't track, as those of another repository, and
    standard input are changed. Raises InvalidParameter without git, outside of a repository and for an unknown
    revision.
    """
    changes = _Changes(revision)
    if changes.have_removed_project or any(map(changes.concern, values)):
        return files
    has_changed: dict[str, bool] = {}

    def changes_with_others(file: str) -> bool:
        for name in projects.companions(file) if projects else ():
            if name not in has_changed:
                has_changed[name] = changes.are_below(name) if os.path.isdir(name) else changes.concern(name)
            if has_changed[name]:
                return True
        return False

    return [name for name in files if name == "-" or changes.concern(name) or changes_with_others(name)]


def has_changes(
    files: list[str], revision: str, output: str, projects: Projects | None = None, values: Sequence[str] = ()
) -> bool:
    """Return whether a file of the output may be out of date, be left over, or have been edited.

    Raises the errors of `changed_files`.
    """
    changes = _Changes(revision)
    return (
        not os.path.lexists(output)
        or changes.have_removed_yaml
        or changes.are_below(output)
        or any(map(changes.concern, [*files, *values, *(projects.names if projects else ())]))
    )


class _Changes:
    """Differences of the working tree from a revision, in the repository of the current directory."""

    def __init__(self, revision: str) -> None:
        self._repository = Repository(os.curdir, OPTION)
        root = self._repository.root
        changed = self._repository.changes(self._repository.commit(revision))
        tracked = self._repository.tracked()
        self._changed = {os.path.join(root, path) for path in changed}
        self._tracked = {os.path.join(root, each.path) for each in tracked}
        self._submodules = [os.path.join(root, each.path) for each in tracked if each.mode == SUBMODULE]
        self._below: dict[str, bool] = {}

    @property
    def have_removed_yaml(self) -> bool:
        """Return whether a file that may have been a job is gone or renamed."""
        return any(name.endswith((".yaml", ".yml")) and not os.path.lexists(name) for name in self._changed)

    @property
    def have_removed_project(self) -> bool:
        """Return whether a project file is gone: its defaults were those of an unknown number of jobs."""
        return any(os.path.basename(name) == PROJECT_FILE and not os.path.lexists(name) for name in self._changed)

    def concern(self, name: str) -> bool:
        """Return whether a job file, its target if it is a link, or a local file next to it has changed."""
        folder, base = os.path.split(os.path.abspath(name))
        paths = {
            self._tracked_path(os.path.join(os.path.realpath(folder), base)),
            self._tracked_path(os.path.realpath(name)),
        }
        if not paths.isdisjoint(self._changed) or not paths <= self._tracked:
            return True
        if not may_have_local_files(name):
            return False
        if folder not in self._below:
            self._below[folder] = self.are_below(folder)
        return self._below[folder]

    def are_below(self, path: str) -> bool:
        """Return whether a path, or a file below it, has changed or isn't tracked."""
        real = self._tracked_path(os.path.realpath(path))
        if any(f"{name}/".startswith(f"{real}/") for name in self._changed) or not self._is_inside(real):
            return True
        return real not in self._submodules and bool(self._repository.untracked(real))

    def _tracked_path(self, path: str) -> str:
        """Return the path that git tracks: for a file in a submodule, the submodule."""
        return next((each for each in self._submodules if path.startswith(f"{each}/")), path)

    def _is_inside(self, path: str) -> bool:
        return os.path.commonpath([self._repository.root, path]) == self._repository.root


def may_have_local_files(name: str) -> bool:
    """Return whether a job file may name local files."""
    try:
        with open(name, "rb") as file:
            return _LOCAL_FILES in file.read(MAXIMUM_BYTES)
    except OSError:  # it is reported where it is read
        return True
