"""Client of language servers over standard input and output, for the tests of editors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Queue
from typing import Any

ROOT = Path(__file__).parents[2]
TIMEOUT = 60
ANY = -1  # version of a document
TRAINC = (sys.executable, "-m", "trainc", "lsp", "--stdio")


class Client:
    """Session with a server, `trainc lsp` unless a command names another; use it as a context manager."""

    def __init__(self, cwd: Path | None = None, command: Sequence[str | Path] = TRAINC) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd, env=environment
        )
        self.settings: Mapping[str, Any] = {}
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
        self.send_text(uri, text, language)
        return self.diagnostics(uri, 1)

    def send_text(self, uri: str, text: str, language: str = "yaml") -> None:
        """Open a document without waiting for its diagnostics."""
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=item)

    def change(self, uri: str, text: str, version: int) -> None:
        """Replace the text of a document."""
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def diagnostics(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        """Wait for the next diagnostics of a document, which must be of this version."""
        while True:
            message = self._next()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                assert version == ANY or message["params"].get("version") == version
                return list(message["params"]["diagnostics"])

    def request(self, method: str, **parameters: Any) -> Any:
        """Return the result of a request. Raises AssertionError for an error."""
        number = self.send_request(method, **parameters)
        while True:
            message = self._next()
            if message.get("id") == number and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]

    def send_request(self, method: str, **parameters: Any) -> int:
        """Send a request without waiting for its result; return its number."""
        self.number += 1
        self._write({"id": self.number, "method": method, "params": parameters or None})
        return self.number

    def responses(self, count: int) -> list[dict[str, Any]]:
        """Return the next responses in the order in which they arrive; notifications in between are dropped."""
        responses: list[dict[str, Any]] = []
        while len(responses) < count:
            message = self._next()
            if "id" in message and "method" not in message:
                responses.append(message)
        return responses

    def notify(self, method: str, **parameters: Any) -> None:
        """Send a notification."""
        self._write({"method": method, "params": parameters})

    def stop(self) -> int:
        """Shut the server down, and return its exit code."""
        self.request("shutdown")
        self._write({"method": "exit"})
        return self.process.wait(TIMEOUT)

    def _next(self) -> dict[str, Any]:
        """Return the next message; answer a request of the server with settings, or with nothing."""
        message = self.messages.get(timeout=TIMEOUT)
        if "id" in message and "method" in message:
            items = message["params"].get("items", []) if message["method"] == "workspace/configuration" else None
            self._write(
                {"id": message["id"], "result": items and [self.settings.get(each["section"]) for each in items]}
            )
        return message

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout
        while line := self.process.stdout.readline():
            length = 0
            while line.strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
                line = self.process.stdout.readline()
            self.messages.put(json.loads(self.process.stdout.read(length)))


class LanguageServer:
    """yaml-language-server with a schema for the YAML files of a pattern, which `folder` and `name` match."""

    def __init__(
        self,
        command: Sequence[str | Path],
        schemas: dict[str, str],
        folder: Path = Path("/"),
        name: str = "job{}.yaml",
        root: Path | None = None,
    ) -> None:
        self.folder, self.name, self.opened = folder, name, 0
        self.client = Client(command=command)
        yaml = {
            "schemas": schemas,
            "schemaStore": {"enable": False},
            "completion": True,
            "validate": True,
            "hover": True,
        }
        self.client.settings = {"yaml": yaml}
        capabilities = {
            "workspace": {"configuration": True},
            "textDocument": {"completion": {"completionItem": {"snippetSupport": True}}, "publishDiagnostics": {}},
        }
        self.client.request("initialize", processId=None, rootUri=root and root.as_uri(), capabilities=capabilities)
        self.client.notify("initialized")
        self.client.notify("workspace/didChangeConfiguration", settings=self.client.settings)
        deadline = time.monotonic() + TIMEOUT
        while "metadata" not in self.complete("kind: TrainingJob\n|"):  # until the server has loaded the schema
            assert time.monotonic() < deadline, "the language server doesn't use the schema"
            time.sleep(0.1)

    def close(self) -> None:
        """End the server."""
        self.client.__exit__()

    def complete(self, text: str) -> dict[str, str]:
        """Return the labels of the completions at `|` in a job file, with the texts they insert."""
        result = self._ask("textDocument/completion", text)
        items = result["items"] if isinstance(result, dict) else result
        return {item["label"]: item.get("textEdit", item).get("newText", item.get("insertText", "")) for item in items}

    def diagnose(self, text: str) -> list[str]:
        """Return the messages about a job file."""
        uri = self._new_uri()
        self.client.send_text(uri, text)
        return [item["message"] for item in self.client.diagnostics(uri, ANY)]

    def hover(self, text: str) -> str:
        """Return the description at `|` in a job file."""
        result = self._ask("textDocument/hover", text)
        return result["contents"]["value"] if result else ""

    def _ask(self, method: str, text: str) -> Any:
        before, _, after = text.partition("|")
        uri = self._new_uri()
        self.client.send_text(uri, before + after)
        position = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        return self.client.request(method, textDocument={"uri": uri}, position=position)

    def _new_uri(self) -> str:
        self.opened += 1
        return (self.folder / self.name.format(self.opened)).as_uri()
