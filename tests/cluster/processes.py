"""Programs that run beside the tests and end with them, whatever becomes of the tests."""

from __future__ import annotations

import ctypes
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.error import URLError
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

PR_SET_PDEATHSIG = 1  # prctl(2)


class Programs:
    """What was started, each with a log of its own in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[tuple[str, subprocess.Popen[bytes]]] = []

    def start(self, name: str, *command: str | Path) -> subprocess.Popen[bytes]:
        """Start one; it is killed should this process be."""
        with self.log(name).open("ab") as log:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=_end_with_parent,  # noqa: PLW1509  # it is one call into the kernel
            )
        self.running.append((name, process))
        return process

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def wait_for(self, url: str, seconds: float = 60) -> None:
        """Until it answers with 200. Raises RuntimeError with the log of a program that has ended, or that is late."""
        context = ssl._create_unverified_context()  # of ourselves, a moment ago
        opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context))
        until = time.monotonic() + seconds
        while True:
            self.check()
            try:
                opener.open(url, timeout=5).close()
                return
            except (URLError, OSError) as problem:
                if time.monotonic() > until:
                    raise RuntimeError(f"{url} does not answer: {problem}\n{self.last_words()}") from None
            time.sleep(0.1)

    def check(self) -> None:
        """Raises RuntimeError when one of them has ended by itself."""
        for name, process in self.running:
            if process.poll() is not None:
                raise RuntimeError(f"{name} ended with {process.returncode}\n{self.last_words(name)}")

    def last_words(self, name: str = "") -> str:
        """The ends of the logs."""
        names = [name] if name else [each for each, _ in self.running]
        return "\n".join(f"--- {each}\n{self.log(each).read_text(errors='replace')[-2000:]}" for each in names)

    def end(self) -> None:
        """End all, the last one first, each by its process."""
        for _, process in reversed(self.running):
            process.terminate()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.running.clear()


def free_ports(number: int) -> Sequence[int]:
    """Ports of loopback that nobody has now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _end_with_parent() -> None:
    """In the child: SIGTERM when the parent dies, which only Linux knows."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
