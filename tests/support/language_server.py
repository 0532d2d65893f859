"""Client of a language server over standard input and output, for the tests of editors."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class LanguageServer:
    """A running server with a schema for the YAML files of a pattern, which `folder` and `name` match."""

    def __init__(
        self,
        command: Sequence[str | Path],
        schemas: dict[str, str],
        folder: Path = Path("/"),
        name: str = "job{}.yaml",
        root: Path | None = None,
    ) -> None:
        self.folder, self.name = folder, name
        self.process: Any = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.settings = {
            "yaml": {
                "schemas": schemas,
                "schemaStore": {"enable": False},
                "completion": True,
                "validate": True,
                "hover": True,
            }
        }
        capabilities = {
            "workspace": {"configuration": True},
            "textDocument": {"completion": {"completionItem": {"snippetSupport": True}}, "publishDiagnostics": {}},
        }
        self.request("initialize", {"processId": None, "rootUri": root and root.as_uri(), "capabilities": capabilities})
        self.notify("initialized", {})
        self.notify("workspace/didChangeConfiguration", {"settings": self.settings})
        deadline = time.monotonic() + 60
        while "metadata" not in self.complete("kind: TrainingJob\n|"):  # until the server has loaded the schema
            assert time.monotonic() < deadline, "the language server doesn't use the schema"
            time.sleep(0.1)

    def close(self) -> None:
        """End the server."""
        self.process.kill()
        self.process.communicate()

    def complete(self, text: str) -> dict[str, str]:
        """Return the labels of the completions at `|` in a job file, with the texts they insert."""
        result = self._ask("textDocument/completion", text)
        items = result["items"] if isinstance(result, dict) else result
        return {item["label"]: item.get("textEdit", item).get("newText", item.get("insertText", "")) for item in items}

    def diagnose(self, text: str) -> list[str]:
        """Return the messages about a job file."""
        uri = self._open(text)
        while True:
            message = self._read()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return [item["message"] for item in message["params"]["diagnostics"]]
            self._answer(message)

    def hover(self, text: str) -> str:
        """Return the description at `|` in a job file."""
        result = self._ask("textDocument/hover", text)
        return result["contents"]["value"] if result else ""

    def request(self, method: str, params: Any) -> Any:
        """Return the result of a request."""
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == self.number and "method" not in message:
                return message["result"]
            self._answer(message)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _ask(self, method: str, text: str) -> Any:
        before = text[: text.index("|")]
        uri = self._open(text.replace("|", "", 1))
        position = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        return self.request(method, {"textDocument": {"uri": uri}, "position": position})

    def _open(self, text: str) -> str:
        self.number += 1
        uri = (self.folder / self.name.format(self.number)).as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def _answer(self, message: dict[str, Any]) -> None:
        """Answer a request of the server: its settings, and nothing else."""
        if "id" in message and "method" in message:
            items = message["params"].get("items", []) if message["method"] == "workspace/configuration" else None
            values = items and [self.settings.get(item.get("section")) for item in items]
            self._send({"id": message["id"], "result": values})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message
