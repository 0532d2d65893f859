"""Start of the supervisor in new namespaces, the first of which is a user namespace, for root too.

python -m trainc.rehearse.spawn
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import NoReturn

from trainc.rehearse import cgroup, ids, linux, privileges, seccomp
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.process import CLEAN_ENV, module_command
from trainc.rehearse.runner import exit_like, exit_with

_NAMESPACES = linux.NEW_MOUNTS | linux.NEW_CGROUPS | linux.NEW_UTS | linux.NEW_IPC | linux.NEW_PIDS | linux.NEW_NET
_DIE_WITH_PARENT = 1  # prctl(2)
_SCORE = 500  # above all of the machine, below pods


def spawn() -> subprocess.Popen[bytes]:
    """Start the supervisor. Raises RehearsalError if this machine lacks what it needs."""
    if not shutil.which("ip", path=CLEAN_ENV["PATH"]):
        raise RehearsalError("a rehearsal needs ip: install iproute2")
    try:
        seccomp.load()
    except OSError:
        raise RehearsalError(f"a rehearsal needs {seccomp.LIBRARY}: install {seccomp.PACKAGE}") from None
    pipe, command = subprocess.PIPE, module_command("spawn")
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd="/", env=CLEAN_ENV, start_new_session=True)


def main() -> NoReturn:
    """Create the namespaces and run the supervisor as their first process."""
    users = ids.UserNamespace()
    child = os.fork()
    if child == 0:
        try:
            _start(users)
        except OSError as problem:
            _refuse(problem)
    with cgroup.limited(child):
        try:
            users.admit(child, ids.rehearsal_maps())
        except OSError as problem:
            os.kill(child, signal.SIGKILL)
            _refuse(problem)
        _, ended = os.waitpid(child, 0)
    exit_with(ended)


def _start(users: ids.UserNamespace) -> NoReturn:
    linux.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    privileges.prefer_as_victim(_SCORE)
    users.enter()
    linux.unshare(_NAMESPACES)
    first = os.fork()
    if first:
        exit_like(first)
    linux.prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    command = module_command("supervisor")
    os.execv(command[0], command)


def _refuse(problem: OSError) -> NoReturn:
    os.write(1, (json.dumps({"refused": problem.strerror or str(problem)}) + "\n").encode())
    sys.exit(1)


if __name__ == "__main__":
    main()
