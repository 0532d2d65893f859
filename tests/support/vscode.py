"""VS Code as a web server: the one in the npm package code-server, which needs no native module to run extensions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.support.requirements import npm_install

VERSION = "4.100.3"  # VS Code 1.100, for Node 20
_TIMEOUT = 120  # s
_LISTENING = re.compile(r"agent listening on (\d+)")


def install(folder: Path) -> Path:
    """Install VS Code in a folder, and return its directory; skip with another version of Node.

    Scripts of packages, which would build native modules, don't run.
    """
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if not node.startswith("v20."):
        pytest.skip(f"code-server {VERSION} needs Node 20, not {node}")
    folder.mkdir()
    (folder / "package.json").write_text("{}")
    npm_install(folder, "--ignore-scripts", f"code-server@{VERSION}")
    directory = folder / "node_modules/code-server/lib/vscode"
    npm_install(directory, "--ignore-scripts", "--omit=dev")
    return directory


class Workbench:
    """Server with an extension, whose data is in a folder."""

    def __init__(self, directory: Path, data: Path, extension: Path, settings: dict[str, Any]) -> None:
        self._data = data
        self._command = ["node", str(directory / "out/server-main.js"), "--accept-server-license-terms"]
        self._command += ["--server-data-dir", str(data / "server"), "--extensions-dir", str(data / "extensions")]
        machine = data / "server/data/Machine"
        machine.mkdir(parents=True)
        (machine / "settings.json").write_text(json.dumps(settings))
        self._environment = {**os.environ, "HOME": str(data)}
        _run([*self._command, "--install-extension", str(extension)], data, self._environment)

    @contextmanager
    def running(self) -> Iterator[str]:
        """Run the server; yield its host and port."""
        options = ["--host", "127.0.0.1", "--port", "0", "--without-connection-token", "--telemetry-level", "off"]
        log = self._data / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*self._command, *options], cwd=self._data, env=self._environment, stdout=output, stderr=output
            )
        try:
            end = time.monotonic() + _TIMEOUT
            while (match := _LISTENING.search(log.read_text())) is None:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.1)
            yield f"127.0.0.1:{match[1]}"
        finally:
            process.terminate()
            process.wait(_TIMEOUT)


def address(host: str, file: Path) -> str:
    """Return the address of a page with the folder of a file and the file opened."""
    payload = json.dumps([["openFile", f"vscode-remote://{host}{file}"]])
    return f"http://{host}/?{urlencode({'folder': str(file.parent), 'payload': payload})}"


def _run(command: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
