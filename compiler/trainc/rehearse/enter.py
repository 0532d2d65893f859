"""Run a command in a running container, like `kubectl exec`, with the privileges of the container.

python -m trainc.rehearse.enter PID < SPEC

SIGTERM kills the command. Its parent, this process, must outlive it: the first process of a namespace can't end before
the others, joined ones included, have been waited for.
https://github.com/torvalds/linux/blob/v6.12/kernel/pid_namespace.c, zap_pid_ns_processes
"""

from __future__ import annotations

import json
import os
import signal
import sys

from trainc.rehearse import linux, privileges, runner, seccomp


def main() -> None:
    """Read the spec as JSON; exit like the command."""
    spec = json.load(sys.stdin)
    pid, library = int(sys.argv[1]), seccomp.load()
    privileges.limit_pods()
    users = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY)
    linux.join(pid, "net", "uts", "ipc", "pid", "mnt")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    child = os.fork()
    if child:
        signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    if child:
        runner.exit_like(child)
    try:
        linux.join_file(users)
        runner.run(spec, library)
    except Exception as problem:
        os.write(2, f"{problem}\n".encode())
    os._exit(1)


if __name__ == "__main__":
    main()
