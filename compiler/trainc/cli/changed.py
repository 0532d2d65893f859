"""`--changed-since`: job files that differ from those of a git revision, and those that git doesn't track."""

from __future__ import annotations

import os
import subprocess

from trainc.cli.parameters import InvalidParameter
from trainc.source.load import MAXIMUM_BYTES
from trainc.spec.storage import FILES

OPTION = "--changed-since"
_LOCAL_FILES = f"{FILES}:".encode()
# Nothing that a repository's configuration names is started.
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--literal-pathspecs")


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
        root = _git("rev-parse", "--show-toplevel").removesuffix("\n")
        self._root = os.path.realpath(root)
        _require(revision)
        names = _git("-C", root, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", revision, "--")
        self._changed = {os.path.join(self._root, name) for name in filter(None, names.split("\0"))}
        tracked = _git("-C", root, "ls-files", "-z")
        self._below: dict[str, bool] = {}
        self._tracked = {os.path.join(self._root, name) for name in tracked.split("\0")}

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
        if not _may_have_local_files(name):
            return False
        if folder not in self._below:
            self._below[folder] = self.are_below(folder)
        return self._below[folder]

    def are_below(self, path: str) -> bool:
        """Return whether a path, or a file below it, has changed or isn't tracked."""
        real = os.path.realpath(path)
        if any(f"{name}/".startswith(f"{real}/") for name in self._changed) or not self._is_inside(real):
            return True
        others = _git("-C", self._root, "ls-files", "--others", "-z", "--", real)
        return bool(others)

    def _is_inside(self, path: str) -> bool:
        return os.path.commonpath([self._root, path]) == self._root


def _require(revision: str) -> None:
    """Raise InvalidParameter for a revision that names no commit."""
    try:
        _git("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    except InvalidParameter:
        help_ = ""
        if _git("rev-parse", "--is-shallow-repository").strip() == "true":
            help_ = "; the clone is shallow: fetch it, as by `git fetch --unshallow` or `fetch-depth: 0`"
        raise InvalidParameter(f"`{revision}` is not a revision of the repository{help_}", OPTION) from None


def _git(*arguments: str) -> str:
    try:
        process = subprocess.run([*_GIT, *arguments], check=True, capture_output=True, stdin=subprocess.DEVNULL)  # noqa: S603
    except FileNotFoundError:
        raise InvalidParameter("git is not installed", OPTION) from None
    except subprocess.CalledProcessError as problem:
        reason = problem.stderr.decode("utf-8", "replace").strip().split("\n")[-1].removeprefix("fatal: ")
        raise InvalidParameter(f"git fails: {reason or 'without a message'}", OPTION) from None
    return os.fsdecode(process.stdout)


def _may_have_local_files(name: str) -> bool:
    try:
        with open(name, "rb") as file:
            return _LOCAL_FILES in file.read(MAXIMUM_BYTES)
    except OSError:  # it is reported where it is read
        return True
