"""Runner of one container: enters its pod's namespaces, creates its own of mounts and processes, and runs its command.

    python -m trainc.rehearse.runner STATUS_FD < SPEC

The process outside waits for the container and exits with its exit code or by its signal.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import signal
import sys
from typing import Any, NoReturn

from trainc.rehearse import ids, linux, privileges, seccomp
from trainc.rehearse.devices import mount_devices
from trainc.rehearse.rootfs import Root
from trainc.rehearse.user import set_home

_START_FAILED = 128  # exit code that the kubelet reports for a container that its runtime could not start


def main() -> NoReturn:
    """Read the container's spec as JSON from standard input; write the id of its first process to STATUS_FD."""
    spec = json.load(sys.stdin)
    status = int(sys.argv[1])
    os.set_inheritable(status, False)
    library, users = seccomp.load(), ids.UserNamespace()
    privileges.limit_pods()
    linux.join(spec["pause"], "net", "uts", "ipc")
    linux.unshare(linux.NEW_PIDS)
    child = os.fork()
    if child == 0:
        try:
            _start(spec, users, library)
        except Exception as problem:
            os.write(2, f"trainc rehearse: can't start the container: {problem}\n".encode())
        os._exit(_START_FAILED)
    os.write(status, f"{child}\n".encode())
    os.close(status)
    users.admit(child, ids.container_maps(spec["user"]))
    for stream in (0, 1, 2):
        os.close(stream)
    exit_like(child)


def exit_like(child: int) -> NoReturn:
    """Wait for a child process; exit with its exit code or by its signal."""
    exit_with(os.waitpid(child, 0)[1])


def exit_with(ended: int) -> NoReturn:
    """Exit with the exit code or by the signal of a child process that has ended."""
    if os.WIFSIGNALED(ended):
        number = os.WTERMSIG(ended)
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))  # no core dump: core(5)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(ended))


def _start(spec: dict[str, Any], users: ids.UserNamespace, library: ctypes.CDLL) -> NoReturn:
    owner, user = ids.container_root(), ids.container_id(spec["user"])
    for stream in (1, 2):  # that programs reopen as /dev/stdout
        os.fchown(stream, user, -1)
    linux.unshare(linux.NEW_MOUNTS)  # not before: pivot_root changes the root of all processes in a namespace
    linux.make_mounts_private()
    _build(spec, owner).enter()
    users.enter()
    run(spec, library)


def _build(spec: dict[str, Any], owner: int) -> Root:
    root = Root(spec["root"], spec["layers"], owner)
    root.append("etc/passwd", spec["user"]["passwd"])
    for path in spec["paths"]:
        root.overlay(path, path)
    mount_devices(root, owner, spec["shm"])
    # Writable first: the program may belong in a read-only mount.
    read_only = []
    for mount in spec["mounts"]:
        tree = root.mount_volume(mount["source"], mount["sub_path"], mount["path"])
        if mount["read_only"]:
            read_only.append(tree)
    for path, source in spec["program"]["files"].items():
        root.mount(source, path)
    if spec["program"]["at"]:
        root.overlay(spec["program"]["folder"], spec["program"]["at"])
    os.close(root.folder(spec["folder"]))
    for tree in read_only:
        linux.restrict_mount(tree, linux.READ_ONLY, recursive=False)
    return root


def run(spec: dict[str, Any], library: ctypes.CDLL) -> NoReturn:
    """Give up all privileges, then run the command of a spec in the root of this process, as its user."""
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.setsid()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
        signal.signal(number, signal.SIG_DFL)
    privileges.drop(spec["user"], library)
    argv, env = spec["argv"], spec["env"]
    set_home(env)
    os.chdir(spec["folder"])
    program = shutil.which(argv[0], path=env.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError(f'exec: "{argv[0]}": executable file not found in $PATH')
    os.execve(program, argv, env)


if __name__ == "__main__":
    main()
