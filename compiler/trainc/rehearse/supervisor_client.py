"""Connection to the supervisor process, which runs the pods: one JSON object a line in each direction."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from trainc.plan.fields import Object
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.spawn import spawn

_KILL_TIMEOUT = 10  # seconds for all processes of a rehearsal to be killed; a loaded machine needs 1
_HELP = "allow user namespaces, as docs/security.md describes"
_READY_TIMEOUT = 60  # seconds until the namespaces exist; a loaded machine needs 2


class SupervisorClient:
    """`on_event` is called with each event message, from a reader thread once `open` has returned.

    `failure` is the traceback of a supervisor that crashed, or says how else it ended.
    """

    def __init__(self, on_event: Callable[[dict[str, Any]], None]) -> None:
        self.failure = ""
        self._on_event = on_event
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None

    def open(self, objects: list[Object], settings: dict[str, Any]) -> None:
        """Start the supervisor. Raises RehearsalError if it can't set up the namespaces."""
        self._process = spawn()
        try:
            self.send(objects=objects, settings=settings)
            reply = self._wait_until_ready(self._process)
        except BaseException:
            self.close()
            raise
        if "ready" not in reply:
            self.close()
            problem = reply.get("refused", "the supervisor exited")
            raise RehearsalError(f"can't create the pods' namespaces ({problem}): {_HELP}")
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def send(self, **order: object) -> None:
        """Send one order. Raises RehearsalError if the supervisor isn't running."""
        if self._process is None or self._process.stdin is None:
            raise RehearsalError("the rehearsal isn't running")
        try:
            self._process.stdin.write((json.dumps(order) + "\n").encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise RehearsalError(f"the rehearsal has ended: {self.failure or 'its supervisor exited'}") from None

    def close(self) -> None:
        """End the supervisor, and with it all pods. May be called twice."""
        if self._process is None:
            return
        process, self._process = self._process, None
        if process.stdin:
            with suppress(OSError):
                process.stdin.close()  # the supervisor exits at the end of its input
        try:
            process.wait(_KILL_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()  # the kernel kills its child, the supervisor, too
            process.wait()
        if self._reader is not None:
            self._reader.join(_KILL_TIMEOUT)
        if process.stdout:
            process.stdout.close()

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        """Return the first message that isn't an event: `ready` or `refused`; empty if the supervisor exits."""
        assert process.stdout
        timer = threading.Timer(_READY_TIMEOUT, process.kill)
        timer.start()
        try:
            for line in process.stdout:
                message = json.loads(line)
                if "event" not in message:
                    return dict(message)
                self._on_event(message)
        finally:
            timer.cancel()
        return {}

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        try:
            for line in process.stdout:
                message = json.loads(line)
                if "broken" in message:
                    self.failure = message["broken"]
                else:
                    self._on_event(message)
            problem = _end_of(process)
        except (OSError, ValueError) as error:  # of `on_event`; closed by `close`
            problem = str(error)
        if self._process is process and not self.failure:  # not closed
            self.failure = problem


def _end_of(process: subprocess.Popen[bytes]) -> str:
    """Say how a supervisor that has closed its output ended."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(_KILL_TIMEOUT)
    if process.returncode == -signal.SIGKILL:
        return "its supervisor was killed; the kernel log (`dmesg`) tells whether memory ran out"
    return f"its supervisor exited with code {process.returncode}"
