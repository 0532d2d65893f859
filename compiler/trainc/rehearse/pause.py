"""Pause process: holds a pod's network, hostname and IPC namespaces while its containers come and go.

    python -m trainc.rehearse.pause HOSTNAME

Prints `ready` when the namespaces exist, reads commands for `ip` up to the end of its input, prints `up`, and sleeps.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

from trainc.rehearse import linux


def main() -> None:
    """Set up the namespaces and sleep until killed."""
    linux.unshare(linux.NEW_NET | linux.NEW_UTS | linux.NEW_IPC)
    socket.sethostname(sys.argv[1][:63])
    print("ready", flush=True)
    subprocess.run(["ip", "-batch", "-"], input=sys.stdin.buffer.read(), check=True)
    print("up", flush=True)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.execvp("sleep", ["sleep", "infinity"])


if __name__ == "__main__":
    main()
