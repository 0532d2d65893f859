"""Default ports of rendezvous and process groups, and parsing of `host:port`."""

from __future__ import annotations

# https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py
C10D_PORT = 29400
HIGHEST_PORT = 65535
# Default of torchrun's static rendezvous and of DeepSpeed's launcher.
MASTER_PORT = 29500
# https://etcd.io/docs/v3.5/op-guide/configuration/
ETCD_PORT = 2379
# Of the workers' sshd, where worker 0 starts the processes over ssh.
SSH_PORT = 2222


def host_and_port(endpoint: str, default: int) -> tuple[str, int]:
    """Split `host:port`, `host` or `[IPv6]:port`; torchrun requires the brackets of an IPv6 address."""
    host, colon, port = endpoint.rpartition(":")
    if not colon or not port.isdecimal() or len(port) > 5 or (":" in host and not host.endswith("]")):
        host, port = endpoint, str(default)
    return host, int(port)
