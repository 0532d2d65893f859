"""Headless Chromium, driven by its DevTools protocol over two pipes: no package, no port."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.requirements import unavailable

TIMEOUT = 120  # s; a busy machine takes long, and an idle one doesn't wait
FLAGS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
)
# Windows' virtual key codes; those of letters and digits are their code points.
_KEY_CODES = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    " ": 32,
    "End": 35,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "F8": 119,
    ".": 190,
}


def chromium() -> str:
    """Return the path of Chromium; skip without it, or fail if TRAINC_REQUIRE_CHROMIUM is 1."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        unavailable("chromium is not installed", "TRAINC_REQUIRE_CHROMIUM")
    return path


class Browser:
    """Connection to a running Chromium."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer = os.fdopen(reader, "rb"), os.fdopen(writer, "wb")
        self._number, self._buffer = 0, b""
        self.events: list[dict[str, Any]] = []

    def send(self, method: str, session: str | None = None, /, **parameters: Any) -> dict[str, Any]:
        """Call a method and return its result; events meanwhile are appended to `events`."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._writer.write(json.dumps(message).encode() + b"\0")
        self._writer.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._reader.fileno(), 1 << 20)
            assert data, "chromium has ended"
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def page(self, url: str, width: int = 1280, height: int = 900, *, dark: bool = False) -> Page:
        """Open a page in a tab with storage of its own."""
        context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        page = Page(self, self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.send(f"{domain}.enable")
        page.resize(width, height)
        page.send(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        page.open(url)
        return page


class Page:
    """One tab."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def send(self, method: str, /, **parameters: Any) -> dict[str, Any]:
        """Call a method of the tab."""
        return self.browser.send(method, self.session, **parameters)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the viewport, in CSS pixels."""
        mobile = width < 600
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        self.send("Emulation.setDeviceMetricsOverride", **size)

    def open(self, url: str) -> None:
        """Load a page, also if only the fragment differs."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=url)
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'")

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression, whose promise is awaited."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition: str, timeout: float = TIMEOUT) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + timeout
        while not self.evaluate(f"Boolean({condition})"):
            assert time.monotonic() < end, f"not true after {timeout} s: {condition}"
            time.sleep(0.05)

    def key(self, key: str, modifiers: int = 0, text: str = "") -> None:
        """Press and release a key; modifiers are 1 Alt, 2 Ctrl, 8 Shift."""
        code = _KEY_CODES.get(key, ord(key.upper()) if len(key) == 1 else 0)
        text = text or {"Enter": "\r", " ": " "}.get(key, "")
        place = {" ": "Space", ".": "Period"}.get(key, f"Key{key.upper()}" if len(key) == 1 else key)  # on the keyboard
        common = {"key": key, "code": place, "modifiers": modifiers, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, file: Path) -> None:
        """Write a picture of the viewport as PNG."""
        file.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def requests(self) -> list[str]:
        """Return the URLs that the tab has requested so far."""
        self.evaluate("0")
        sent = [event for event in self.browser.events if event.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent if event.get("sessionId") == self.session]

    def errors(self) -> list[str]:
        """Return uncaught exceptions and errors of the console, such as violations of the CSP."""
        self.evaluate("0")
        texts = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                texts.append(json.dumps(event["params"]["exceptionDetails"]))
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                texts.append(event["params"]["entry"]["text"])
        return texts


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Run Chromium with its profile in a folder."""
    path = chromium()
    for_browser, writer = os.pipe()
    reader, from_browser = os.pipe()
    flags = " ".join((*FLAGS, f"--user-data-dir='{folder}'"))
    process = subprocess.Popen(
        ["/bin/bash", "-c", f"exec '{path}' {flags} about:blank 3<&{for_browser} 4>&{from_browser}"],
        pass_fds=(for_browser, from_browser),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder)},
    )
    os.close(for_browser)
    os.close(from_browser)
    try:
        yield Browser(reader, writer)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class _Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine; yield its URL without a slash at its end."""
    handler = functools.partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
