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
from pathlib import Path

from trainc.rehearse import linux

# As container runtimes set them: any user may listen on any port.
_SYSCTLS = {"ip_unprivileged_port_start": "0"}


def main() -> None:
    """Set up the namespaces and sleep until killed."""
    linux.unshare(linux.NEW_NET | linux.NEW_UTS | linux.NEW_IPC)
    socket.sethostname(sys.argv[1][:63])
    print("ready", flush=True)
    for name, value in _SYSCTLS.items():
        Path(f"/proc/sys/net/ipv4/{name}").write_text(value)
    subprocess.run(["ip", "-batch", "-"], input=sys.stdin.buffer.read(), check=True)
    print("up", flush=True)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.execvp("sleep", ["sleep", "infinity"])


if __name__ == "__main__":
    main()
