"""Git, started so that it starts no program which the repository's configuration names."""

from __future__ import annotations

import os
import subprocess

from trainc.cli.parameters import InvalidParameter

_COMMAND = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--literal-pathspecs")


def git(option: str, *arguments: str, root: str = os.curdir, stdin: bytes = b"") -> bytes:
    """Return the output of a git command in a directory. Raises InvalidParameter, about an option, if it fails."""
    command = [*_COMMAND, "-C", root, *arguments]
    try:
        process = subprocess.run(command, check=True, capture_output=True, input=stdin)
    except FileNotFoundError:
        raise InvalidParameter("git is not installed", option) from None
    except subprocess.CalledProcessError as problem:
        reason = problem.stderr.decode("utf-8", "replace").strip().split("\n")[-1].removeprefix("fatal: ")
        raise InvalidParameter(f"git fails: {reason or 'without a message'}", option) from None
    return process.stdout


def commit(option: str, revision: str, root: str = os.curdir) -> str:
    """Return the hash of a revision's commit. Raises InvalidParameter, about an option, if it names none."""
    git(option, "rev-parse", "--git-dir", root=root)  # for its message outside of a repository
    name = f"{revision}^{{commit}}"
    try:
        output = git(option, "rev-parse", "--verify", "--quiet", "--end-of-options", name, root=root)
    except InvalidParameter:
        hint = ""
        if git(option, "rev-parse", "--is-shallow-repository", root=root).strip() == b"true":
            hint = "; the clone is shallow: fetch it, as by `git fetch --unshallow` or `fetch-depth: 0`"
        raise InvalidParameter(f"`{revision}` is not a revision of the repository{hint}", option) from None
    return output.decode().strip()
