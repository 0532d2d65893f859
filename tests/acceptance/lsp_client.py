"""Small client of the Language Server Protocol: messages over the pipes of a server that is a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue
from typing import Any

ROOT = Path(__file__).parents[2]
TIMEOUT = 60


class Client:
    """Session with a server; use it as a context manager."""

    def __init__(self, cwd: Path) -> None:
        environment = {"PYTHONPATH": str(ROOT / "compiler"), "PATH": os.environ["PATH"]}
        command = [sys.executable, "-m", "trainc", "lsp", "--stdio"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd, env=environment
        )
        self.messages: Queue[dict[str, Any]] = Queue()
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def start(self, *encodings: str) -> dict[str, Any]:
        """Initialize, and return the capabilities of the server."""
        capabilities = {"general": {"positionEncodings": list(encodings)}} if encodings else {}
        result = self.request("initialize", processId=None, rootUri=None, capabilities=capabilities)
        self.notify("initialized")
        return dict(result["capabilities"])

    def open(self, uri: str, text: str, language: str = "yaml") -> list[dict[str, Any]]:
        """Open a document, and return its diagnostics."""
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=item)
        return self.diagnostics(uri, 1)

    def change(self, uri: str, text: str, version: int) -> None:
        """Replace the text of a document."""
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def diagnostics(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        """Wait for the next diagnostics of a document, which must be of this version."""
        while True:
            message = self.messages.get(timeout=TIMEOUT)
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                assert message["params"].get("version") == version
                return list(message["params"]["diagnostics"])

    def request(self, method: str, **parameters: Any) -> Any:
        """Return the result of a request. Raises AssertionError for an error."""
        self.number += 1
        self._write({"id": self.number, "method": method, "params": parameters or None})
        while True:
            message = self.messages.get(timeout=TIMEOUT)
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    def notify(self, method: str, **parameters: Any) -> None:
        """Send a notification."""
        self._write({"method": method, "params": parameters})

    def stop(self) -> int:
        """Shut the server down, and return its exit code."""
        self.request("shutdown")
        self._write({"method": "exit"})
        return self.process.wait(TIMEOUT)

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout
        while line := self.process.stdout.readline():
            length = int(line.partition(b":")[2])
            while self.process.stdout.readline().strip():
                pass
            self.messages.put(json.loads(self.process.stdout.read(length)))
