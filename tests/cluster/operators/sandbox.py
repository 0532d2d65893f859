"""Run an operator with a network and a /tmp of its own: `python -m tests.cluster.operators.sandbox SETTINGS`.

Operators listen on fixed ports, some of them on all addresses, and read certificates from a fixed path. Inside are only
loopback and the files of one directory. Connections are forwarded: those to API_PORT inside to the API server, and
those to some ports outside to ports inside. Requires root or user namespaces.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.cluster.processes import end_with_parent
from tests.support.golang import FEW_COLLECTIONS
from trainc.rehearse import linux

API_PORT = 6443
LOOPBACK = "127.0.0.1"
BIND = 4096  # mount(2)
SIOCSIFFLAGS, IFF_UP = 0x8914, 1  # netdevice(7)


class Inside(threading.Thread):
    """Thread in the operator's network: sockets and processes that it creates belong to this network."""

    def __init__(self, settings: dict[str, Any], entries: dict[int, socket.socket]) -> None:
        super().__init__(daemon=True)
        self.settings, self.entries = settings, entries
        self.api: socket.socket | None = None
        self.is_ready = threading.Event()
        self.exit_code = 1

    def run(self) -> None:
        try:
            linux.unshare(linux.NEW_NET)
            _start_loopback()
            self.api = socket.create_server((LOOPBACK, API_PORT))
            for port, entry in self.entries.items():
                _in_background(_forward, entry, port)
        finally:
            self.is_ready.set()
        program = os.open(self.settings["program"], os.O_RDONLY)  # its path may be below /tmp
        operator = subprocess.Popen(
            [f"/proc/self/fd/{program}", *self.settings["arguments"]],
            env={**FEW_COLLECTIONS, "KUBECONFIG": self.settings["kubeconfig"]},
            stdin=subprocess.DEVNULL,
            pass_fds=[program],
            preexec_fn=self._enter,  # noqa: PLW1509  # system calls only
        )
        self.exit_code = operator.wait()

    def _enter(self) -> None:
        """Replace /tmp in the child process."""
        linux.unshare(linux.NEW_MOUNTS)
        linux.make_mounts_private()
        linux.mount(self.settings["folder"], "/tmp", flags=BIND)
        os.chdir("/tmp")
        end_with_parent()


def main() -> int:
    """Run the operator to its end and return its exit code."""
    end_with_parent()
    settings = json.loads(sys.argv[1])
    try:
        linux.unshare(linux.NEW_MOUNTS)
    except PermissionError:
        _become_root()
    entries = {int(port): socket.create_server((LOOPBACK, outer)) for port, outer in settings["ports"].items()}
    inside = Inside(settings, entries)
    inside.start()
    inside.is_ready.wait()
    if inside.api:
        _in_background(_forward, inside.api, settings["api"])
    inside.join()
    return inside.exit_code


def _become_root() -> None:
    """Enter a user namespace as root, which may create the other namespaces."""
    maps = {"setgroups": "deny", "uid_map": f"0 {os.geteuid()} 1", "gid_map": f"0 {os.getegid()} 1"}
    linux.unshare(linux.NEW_USERS)
    for name, value in maps.items():
        Path("/proc/self", name).write_text(value)


def _start_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def _forward(listener: socket.socket, port: int) -> None:
    """Connect each client of a listener to a port of this thread's network."""
    while True:
        client, _ = listener.accept()
        try:
            server = socket.create_connection((LOOPBACK, port))
        except OSError:  # the operator isn't ready
            client.close()
            continue
        _in_background(_copy, client, server)
        _in_background(_copy, server, client)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _in_background(function: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=function, args=arguments, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
