"""A running container: its first process, its output line by line, its exit."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

_MAX_LINE = 16 * 1024  # bytes; container runtimes split longer lines too
_MAX_OUTPUT = 64 * 2**20  # bytes of a container
_TRUNCATED = f"trainc rehearse: further output is discarded: the container has written {_MAX_OUTPUT // 2**20} MiB"
CLEAN_ENV = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTHONPATH": str(Path(__file__).parents[2]),
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONSAFEPATH": "1",
    "LC_ALL": "C.UTF-8",
}


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command line of one of this package's programs.

    It runs outside the pods: -P keeps the modules of the working directory, maybe an untrusted checkout, out of it.
    """
    return [sys.executable, "-P", "-S", "-m", f"trainc.rehearse.{module}", *arguments]


class Process:
    """A container, started by the constructor.

    `scratch` is the directory of its root; `on_line` is called with the stream and each line of output.
    """

    def __init__(self, spec: dict[str, Any], scratch: Path, on_line: Callable[[str, str], None]) -> None:
        self._spec, self._scratch = spec, scratch
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
        streams, output = (("stdout", self._runner.stdout), ("stderr", self._runner.stderr)), _Output(on_line)
        self._readers = [threading.Thread(target=output.read, args=stream) for stream in streams]
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

    def discard(self) -> None:
        """Remove the files that it has written outside its volumes, after its exit."""
        shutil.rmtree(self._scratch, ignore_errors=True)

    @property
    def env(self) -> dict[str, str]:
        """Environment of its first process."""
        return dict(self._spec["env"])

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

    def execute(self, command: Sequence[str], timeout: float) -> int:
        """Run a command inside, like `kubectl exec`; return its exit code, 1 after the timeout."""
        spec = {key: self._spec[key] for key in ("env", "folder", "user")} | {"argv": list(command)}
        enter = subprocess.Popen(
            module_command("enter", str(self.pid)),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=CLEAN_ENV,
        )
        try:
            enter.communicate(json.dumps(spec).encode(), timeout)
        except subprocess.TimeoutExpired:
            enter.terminate()
            enter.wait()
            return 1
        return enter.returncode


class _Output:
    """Output of a container, as far as a log of the kubelet would keep it."""

    def __init__(self, on_line: Callable[[str, str], None]) -> None:
        self._on_line, self._remaining = on_line, _MAX_OUTPUT

    def read(self, name: str, stream: IO[bytes] | None) -> None:
        """Report each line of a stream up to its end."""
        assert stream
        while line := stream.readline(_MAX_LINE):
            if self._remaining <= 0:
                continue
            self._remaining -= len(line)
            text = line.decode(errors="replace").rstrip("\r\n")
            self._on_line(name, text if self._remaining > 0 else _TRUNCATED)
