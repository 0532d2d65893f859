"""Runner of one container: enters its pod's namespaces, creates its own of mounts and processes, and runs its command.

    python -m trainc.rehearse.runner STATUS_FD < SPEC

The process outside waits for the container and exits with its exit code or by its signal.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
from typing import Any, NoReturn

from trainc.rehearse import linux
from trainc.rehearse.rootfs import Root
from trainc.rehearse.user import switch_user

_START_FAILED = 128  # exit code that the kubelet reports for a container that its runtime could not start


def main() -> NoReturn:
    """Read the container's spec as JSON from standard input; write the id of its first process to STATUS_FD."""
    spec = json.load(sys.stdin)
    status = int(sys.argv[1])
    os.set_inheritable(status, False)
    linux.join(spec["pause"], "net", "uts", "ipc")
    linux.unshare(linux.NEW_PIDS | linux.NEW_MOUNTS)
    child = os.fork()
    if child == 0:
        try:
            _start(spec)
        except Exception as problem:
            os.write(2, f"trainc rehearse: can't start the container: {problem}\n".encode())
        os._exit(_START_FAILED)
    os.write(status, f"{child}\n".encode())
    os.close(status)
    for stream in (0, 1, 2):
        os.close(stream)
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        number = os.WTERMSIG(ended)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(ended))


def _start(spec: dict[str, Any]) -> NoReturn:
    linux.make_mounts_private()
    root = Root(spec["root"], spec["layers"])
    for path in spec["paths"]:
        root.bind(path, path, read_only=True)
    root.devices(spec["shm"])
    # Writable first: the program may belong in a read-only mount.
    targets = [root.bind(mount["source"], mount["path"], read_only=False) for mount in spec["mounts"]]
    for path, source in spec["program"]["files"].items():
        root.bind(source, path, read_only=True)
    if spec["program"]["at"]:
        root.overlay(spec["program"]["folder"], spec["program"]["at"])
    for mount, target in zip(spec["mounts"], targets, strict=True):
        if mount["read_only"]:
            linux.make_read_only(target, recursive=False)
    for path, content in spec["files"].items():
        root.write(path, content)
    root.folder(spec["folder"])
    null = os.open("/dev/null", os.O_RDONLY)
    root.enter()
    os.dup2(null, 0)
    os.setsid()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    switch_user(spec["user"], spec["env"])
    os.chdir(spec["folder"])
    _execute(spec["argv"], spec["env"])


def _execute(argv: list[str], env: dict[str, str]) -> NoReturn:
    program = shutil.which(argv[0], path=env.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError(f'exec: "{argv[0]}": executable file not found in $PATH')
    os.execve(program, argv, env)


if __name__ == "__main__":
    main()
