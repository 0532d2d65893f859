"""What holds a pod's network, host name and IPC while its containers come and go, as `pause` does on a node.

    python -m trainc.rehearse.pause HOSTNAME

Says `ready` when the namespaces are there; reads commands for `ip` up to the end of its input; says `up`; sleeps.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

from trainc.rehearse import linux


def main() -> None:
    """Sleeps until it is killed."""
    linux.unshare(linux.NEW_NET | linux.NEW_NAMES | linux.NEW_IPC)
    socket.sethostname(sys.argv[1][:63])
    print("ready", flush=True)
    subprocess.run(["ip", "-batch", "-"], input=sys.stdin.buffer.read(), check=True)
    print("up", flush=True)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.execvp("sleep", ["sleep", "infinity"])


if __name__ == "__main__":
    main()
