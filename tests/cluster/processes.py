"""Background programs that always end with the tests."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

from tests.support.golang import FEW_COLLECTIONS

PR_SET_PDEATHSIG = 1  # prctl(2)


class Programs:
    """Running programs, each with its own log file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[tuple[str, subprocess.Popen[bytes]]] = []

    def start(
        self, name: str, *command: str | Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a program; it ends if this process is killed."""
        with self.log(name).open("ab") as log:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**(os.environ if environment is None else environment), **FEW_COLLECTIONS},
                preexec_fn=end_with_parent,  # noqa: PLW1509  # a single system call
            )
        self.running.append((name, process))
        return process

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def wait_for(self, url: str, seconds: float = 60) -> None:
        """Wait until a URL answers with 200. Raises RuntimeError with the logs if a program exits or at the timeout."""
        context = ssl._create_unverified_context()  # a certificate of these tests
        opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context))
        end = time.monotonic() + seconds
        while True:
            self.check()
            try:
                opener.open(url, timeout=5).close()
                return
            except (URLError, OSError) as problem:
                if time.monotonic() > end:
                    raise RuntimeError(f"{url} does not answer: {problem}\n{self.log_tails()}") from None
            time.sleep(0.1)

    def check(self) -> None:
        """Raise RuntimeError if a program has exited."""
        for name, process in self.running:
            if process.poll() is not None:
                raise RuntimeError(f"{name} exited with {process.returncode}\n{self.log_tails(name)}")

    def log_tails(self, name: str = "") -> str:
        """Return the ends of the logs."""
        names = [name] if name else [each for each, _ in self.running]
        return "\n".join(f"--- {each}\n{self.log(each).read_text(errors='replace')[-2000:]}" for each in names)

    def stop(self, name: str) -> None:
        """Terminate the programs of this name, if any."""
        for each in [each for each in self.running if each[0] == name]:
            self.running.remove(each)
            _terminate(each[1])

    def end(self) -> None:
        """Terminate all programs, last started first."""
        for _, process in reversed(self.running):
            _terminate(process)
        self.running.clear()


def _terminate(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_ports(number: int) -> Sequence[int]:
    """Return free loopback ports."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def end_with_parent() -> None:
    """Let the child process get SIGTERM when its parent dies (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
