"""A container that runs: its first process, its output line by line, its end."""

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

_LONGEST = 16 * 1024  # bytes of a line; a container runtime splits longer ones, too
_PACKAGE = str(Path(__file__).parents[2])
CLEAN = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTHONPATH": _PACKAGE,
    "PYTHONDONTWRITEBYTECODE": "1",
    "LC_ALL": "C.UTF-8",
}


def python(module: str, *words: str) -> list[str]:
    """The command line of one of our own programs."""
    return [sys.executable, "-S", "-m", f"trainc.rehearse.{module}", *words]


class Process:
    """Started at once. `said` is called with the stream and each line."""

    def __init__(self, spec: dict[str, Any], said: Callable[[str, str], None]) -> None:
        told, tell = os.pipe()
        self._runner = subprocess.Popen(
            python("runner", str(tell)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(tell,),
            env=CLEAN,
        )
        os.close(tell)
        streams = (("stdout", self._runner.stdout), ("stderr", self._runner.stderr))
        self._readers = [threading.Thread(target=_read, args=(name, stream, said)) for name, stream in streams]
        for reader in self._readers:
            reader.start()
        assert self._runner.stdin
        self._runner.stdin.write(json.dumps(spec).encode())
        self._runner.stdin.close()
        with os.fdopen(told) as file:
            first = file.readline().strip()
        self.first = int(first) if first else 0

    def wait(self) -> tuple[int, int]:
        """Until it has ended: its exit code, and the signal that killed it, or 0."""
        code = self._runner.wait()
        for reader in self._readers:
            reader.join()
        return (128 - code, -code) if code < 0 else (code, 0)

    @property
    def runs(self) -> bool:
        """Whether it hasn't ended."""
        return self._runner.poll() is None

    def send(self, number: int) -> None:
        """A signal to its first process, and only to that."""
        if self.runs and self.first:
            try:
                os.kill(self.first, number)
            except ProcessLookupError:
                return

    def kill(self) -> None:
        """SIGKILL to the first process takes all others along."""
        self.send(signal.SIGKILL)

    def all(self) -> Iterator[int]:
        """The ids of all its processes."""
        try:
            mine = os.readlink(f"/proc/{self.first}/ns/pid")
        except OSError:
            return
        for name in filter(str.isdecimal, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{name}/ns/pid") == mine:
                    yield int(name)
            except OSError:
                continue

    def execute(self, words: Sequence[str], env: dict[str, str], timeout: float) -> int:
        """Run a command inside, as `kubectl exec` does; returns its exit code, 1 if it takes longer."""
        inside = ["nsenter", f"--target={self.first}", "--mount", "--net", "--uts", "--ipc", "--pid", "--", *words]
        try:
            quiet = subprocess.DEVNULL
            return subprocess.run(
                inside, stdin=quiet, stdout=quiet, stderr=quiet, env=env, timeout=timeout, check=False
            ).returncode
        except subprocess.TimeoutExpired:
            return 1


def _read(name: str, stream: IO[bytes] | None, said: Callable[[str, str], None]) -> None:
    assert stream
    while line := stream.readline(_LONGEST):
        said(name, line.decode(errors="replace").rstrip("\r\n"))
