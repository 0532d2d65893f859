"""ForceCommand of sshd: run the requested command in the container's environment.

sshd starts programs with its own environment. pod.json has the container's environment, unchanged: each worker's own
values, values of Secrets, line breaks. A command also must not outlive its connection: ranks that survive worker 0
would hold the GPUs and the port of the next attempt.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

STATE = "/run/trainc/ssh"
DONE = "trainc-done"
PATIENCE = 20  # seconds between SIGTERM and SIGKILL


def main() -> int:
    with open(STATE + "/pod.json") as file:
        pod = json.load(file)
    wanted: str | None = os.environ.get("SSH_ORIGINAL_COMMAND")
    if wanted == DONE:
        os.kill(pod["pid"], signal.SIGUSR1)
        return 0
    shell = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
    command = [shell] if wanted is None else [shell, "-c", wanted]
    parent, mark = os.getppid(), f"{STATE}/sessions/{os.getpid()}"
    open(mark, "w").close()
    try:
        child = subprocess.Popen(command, env=pod["env"], cwd=pod["folder"], start_new_session=True)
        signal.signal(signal.SIGTERM, lambda *_: end(child, signal.SIGTERM))
        while child.poll() is None:
            time.sleep(0.1)
            if os.getppid() != parent:
                end(child, signal.SIGTERM)
                child_ended(child)
                end(child, signal.SIGKILL)
                return 1
        end(child, signal.SIGKILL)  # remaining processes, like the ranks of a launcher that was killed
        return 128 - child.returncode if child.returncode < 0 else child.returncode
    finally:
        os.unlink(mark)


def end(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the command and all its child processes."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


def child_ended(child: subprocess.Popen[bytes]) -> None:
    until = time.time() + PATIENCE
    while child.poll() is None and time.time() < until:
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
