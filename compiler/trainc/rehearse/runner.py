"""One container: enters its pod's namespaces, makes its own of mounts and processes, and becomes its first process.

    python -m trainc.rehearse.runner STATUS_FD < SPEC

What stays outside waits for it and ends as it ended, by exit code or by signal.
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
from trainc.rehearse.user import become

NO_START = 128  # as the kubelet reports a container that its runtime could not start


def main() -> NoReturn:
    """Reads what to run as JSON from standard input, and writes the process id of the first process to STATUS_FD."""
    spec = json.load(sys.stdin)
    status = int(sys.argv[1])
    os.set_inheritable(status, False)
    linux.join(spec["pause"], "net", "uts", "ipc")
    linux.unshare(linux.NEW_PIDS | linux.NEW_MOUNTS)
    child = os.fork()
    if child == 0:
        try:
            _become(spec)
        except Exception as problem:
            os.write(2, f"trainc rehearse: the container can't start: {problem}\n".encode())
        os._exit(NO_START)
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


def _become(spec: dict[str, Any]) -> NoReturn:
    linux.keep_mounts_apart()
    root = Root(spec["root"], spec["layers"])
    for path in spec["paths"]:
        root.bind(path, path, read_only=True)
    root.devices(spec["shm"])
    # The program may have its place in one that nobody may write to.
    targets = [root.bind(one["source"], one["path"], read_only=False) for one in spec["mounts"]]
    for path, source in spec["program"]["files"].items():
        root.bind(source, path, read_only=True)
    if spec["program"]["at"]:
        root.lay_out(spec["program"]["folder"], spec["program"]["at"])
    for one, target in zip(spec["mounts"], targets, strict=True):
        if one["read_only"]:
            linux.make_read_only(target, below=False)
    for path, content in spec["files"].items():
        root.write(path, content)
    root.folder(spec["folder"])
    null = os.open("/dev/null", os.O_RDONLY)
    root.enter()
    os.dup2(null, 0)
    os.setsid()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
        signal.signal(number, signal.SIG_DFL)
    become(spec["user"], spec["env"])
    os.chdir(spec["folder"])
    _run(spec["argv"], spec["env"])


def _run(argv: list[str], env: dict[str, str]) -> NoReturn:
    program = shutil.which(argv[0], path=env.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError(f'exec: "{argv[0]}": executable file not found in $PATH')
    os.execve(program, argv, env)


if __name__ == "__main__":
    main()
