"""Read-only git commands, without network access and without the diff programs of a repository's configuration."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from io import BytesIO

from trainc.cli.parameters import InvalidParameter
from trainc.record import Record

SUBMODULE, _LINK = "160000", "120000"  # modes
_LIMIT = 300  # seconds
_OPTIONS = ("-c", "core.fsmonitor=false", "--no-optional-locks", "--literal-pathspecs")
# Variables that git inherits. A hook sets others for its own repository, which are wrong for a submodule.
_INHERITED = ("GIT_CEILING_DIRECTORIES", "GIT_CONFIG", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
# A partial clone would fetch what it lacks: https://git-scm.com/docs/git#Documentation/git.txt-codeGITALLOWPROTOCOLcode
_OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


class Entry(Record):
    """File, link or submodule of a commit; the path is relative to the root of the repository."""

    mode: str
    object_id: str
    path: str

    @property
    def is_link(self) -> bool:
        """Return whether it is a link, whose content is its target."""
        return self.mode == _LINK

    def name_at(self, commit: str) -> str:
        """Return the name for `git cat-file`: the path of a link, which git follows, else the id of the object.

        A path with a line break can't be passed.
        """
        return f"{commit}:{self.path}" if self.is_link and "\n" not in self.path else self.object_id


class Repository:
    """Repository whose working tree contains a directory. Methods raise InvalidParameter about `option` if git fails.

    `root` is the top of the working tree, with links resolved.
    """

    def __init__(self, directory: str, option: str) -> None:
        self._option = option
        self.root = directory
        self.root = os.path.realpath(self._text("rev-parse", "--show-toplevel").removesuffix("\n"))

    def commit(self, revision: str) -> str:
        """Return the id of the commit that a revision names."""
        try:
            return self._text(
                "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
            ).removesuffix("\n")
        except InvalidParameter:
            help_ = ""
            if self._text("rev-parse", "--is-shallow-repository").strip() == "true":
                help_ = "; the clone is shallow: fetch it, as by `git fetch --unshallow` or `fetch-depth: 0`"
            problem = f"`{revision}` is not a revision of the repository{help_}"
            raise InvalidParameter(problem, self._option) from None

    def changes(self, commit: str) -> list[str]:
        """Return the paths of the tracked files and submodules that differ from a commit, or are deleted."""
        options = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=none")
        return self._paths("diff", *options, commit, "--")

    def tracked(self) -> list[Entry]:
        """Return the tracked files and submodules."""
        return [_entry(line) for line in self._paths("ls-files", "--stage", "-z")]

    def untracked(self, path: str) -> list[str]:
        """Return the files at or below a path that git doesn't track, also ignored ones."""
        return self._paths("ls-files", "--others", "-z", "--", path)

    def entries(self, commit: str, path: str) -> list[Entry]:
        """Return the entry of a commit at a path, or those below it; all for an empty path."""
        return [_entry(line) for line in self._paths("ls-tree", "-r", "-z", commit, "--", *filter(None, [path]))]

    def contents(self, commit: str, entries: Sequence[Entry]) -> list[bytes | None]:
        """Return the contents of files of a commit as git stores them; a link has the content of its target.

        None for a link whose target is no file of the commit, or that can't be followed.
        """
        request = "".join(f"{each.name_at(commit)}\n" for each in entries)
        output = BytesIO(self._run("cat-file", "--batch", "--follow-symlinks", stdin=os.fsencode(request)))
        contents: list[bytes | None] = []
        for each in entries:
            kind, _, size = output.readline().rpartition(b" ")
            if not size.strip().isdigit() and not each.is_link:
                raise InvalidParameter("the clone lacks a file: fetch it, as by `git diff REVISION`", self._option)
            content = output.read(int(size) + 1)[:-1] if size.strip().isdigit() else None
            is_target = each.is_link and each.name_at(commit) == each.object_id
            contents.append(content if kind.endswith(b" blob") and not is_target else None)
        return contents

    def _paths(self, *arguments: str) -> list[str]:
        return [path for path in self._text(*arguments).split("\0") if path]

    def _text(self, *arguments: str) -> str:
        return os.fsdecode(self._run(*arguments))

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return the output of git, run in the root."""
        try:
            process = subprocess.run(
                ["git", *_OPTIONS, "-C", self.root, *arguments],
                input=stdin,
                env=_environment(),
                capture_output=True,
                check=False,
                timeout=_LIMIT,
            )
        except FileNotFoundError:
            raise InvalidParameter("git is not installed", self._option) from None
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise InvalidParameter(f"git can't be run: {problem}", self._option) from None
        if process.returncode:
            lines = process.stderr.decode("utf-8", "replace").splitlines()
            if any("not allowed" in line for line in lines):  # by GIT_ALLOW_PROTOCOL
                raise InvalidParameter("the clone lacks a file: fetch it, as by `git diff REVISION`", self._option)
            reason = next((line for line in lines if line.startswith(("fatal: ", "error: "))), "").partition(": ")[2]
            raise InvalidParameter(f"git fails: {reason or f'exit code {process.returncode}'}", self._option)
        return process.stdout


def _environment() -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_INHERITED)
    }
    return inherited | _OFFLINE


def _entry(line: str) -> Entry:
    """Parse a line of ls-tree (mode, type, object) or of ls-files --stage (mode, object, stage)."""
    details, _, path = line.partition("\t")
    mode, *names = details.split(" ")
    return Entry(mode=mode, object_id=max(names, key=len), path=path)
