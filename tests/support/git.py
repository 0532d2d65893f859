"""Git repositories, without the user's settings, hooks and signatures."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.support.examples import ROOT

IDENTITY = ("-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false")
WITH_NEW_FILES = ("--cached", "--others", "--exclude-standard")
GIT = ("git", *IDENTITY, "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always")


def git(*arguments: str | Path, cwd: Path | None = None, stdin: str | bytes = "") -> str:
    """Run git to its end, in the current directory or another; return its output without the last line break."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    text = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([*GIT, *arguments], cwd=cwd, env=environment, input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


def commit(cwd: Path | None = None, message: str = "jobs") -> None:
    """Commit all files of a repository."""
    git("add", "-A", cwd=cwd)
    git("commit", "-qm", message, cwd=cwd)


def create_repository(cwd: Path | None = None) -> None:
    """Make a folder with its files a repository of one commit."""
    git("init", "-q", cwd=cwd)
    commit(cwd)


def copy_checkout(folder: Path, *options: str, without: tuple[str, ...] = ()) -> Path:
    """Copy the files of this checkout, by default those that git knows, but not those below some directories."""
    for name in git("ls-files", "-z", *options, cwd=ROOT).rstrip("\0").split("\0"):
        if (ROOT / name).is_file() and not name.startswith(without):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder
