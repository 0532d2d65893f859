"""A running container: its first process, its output line by line, its exit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

_MAX_LINE = 16 * 1024  # bytes; container runtimes split longer lines too
CLEAN_ENV = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTHONPATH": str(Path(__file__).parents[2]),
    "PYTHONDONTWRITEBYTECODE": "1",
    "LC_ALL": "C.UTF-8",
}


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command line of one of this package's programs."""
    return [sys.executable, "-S", "-m", f"trainc.rehearse.{module}", *arguments]


class Process:
    """A container, started by the constructor. `on_line` is called with the stream and each line of output."""

    def __init__(self, spec: dict[str, Any], on_line: Callable[[str, str], None]) -> None:
        read_end, write_end = os.pipe()
        self._runner = subprocess.Popen(
            module_command("runner", str(write_end)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(write_end,),
            env=CLEAN_ENV,
        )
        os.close(write_end)
        streams = (("stdout", self._runner.stdout), ("stderr", self._runner.stderr))
        self._readers = [threading.Thread(target=_read, args=(name, stream, on_line)) for name, stream in streams]
        for reader in self._readers:
            reader.start()
        assert self._runner.stdin
        self._runner.stdin.write(json.dumps(spec).encode())
        self._runner.stdin.close()
        with os.fdopen(read_end) as file:
            self.pid = int(file.readline().strip() or 0)

    def wait(self) -> tuple[int, int]:
        """Wait for the exit; return the exit code, and the signal that killed the container or 0."""
        code = self._runner.wait()
        for reader in self._readers:
            reader.join()
        return (128 - code, -code) if code < 0 else (code, 0)

    @property
    def runs(self) -> bool:
        """Return whether the container hasn't exited."""
        return self._runner.poll() is None

    def send(self, number: int) -> None:
        """Send a signal to the first process only."""
        if self.runs and self.pid:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def kill(self) -> None:
        """Kill all processes: SIGKILL to the first process of the namespace ends the others."""
        self.send(signal.SIGKILL)

    def all(self) -> Iterator[int]:
        """Yield the ids of all processes of the container."""
        try:
            namespace = os.readlink(f"/proc/{self.pid}/ns/pid")
        except OSError:
            return
        for name in filter(str.isdecimal, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{name}/ns/pid") == namespace:
                    yield int(name)
            except OSError:
                continue

    def execute(self, command: Sequence[str], env: dict[str, str], timeout: float) -> int:
        """Run a command inside, like `kubectl exec`; return its exit code, 1 after the timeout."""
        nsenter = ["nsenter", f"--target={self.pid}", "--mount", "--net", "--uts", "--ipc", "--pid", "--", *command]
        null = subprocess.DEVNULL
        try:
            done = subprocess.run(nsenter, stdin=null, stdout=null, stderr=null, env=env, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return 1
        return done.returncode


def _read(name: str, stream: IO[bytes] | None, on_line: Callable[[str, str], None]) -> None:
    assert stream
    while line := stream.readline(_MAX_LINE):
        on_line(name, line.decode(errors="replace").rstrip("\r\n"))
