"""Parsing of `host:port`."""

from __future__ import annotations


def host_and_port(endpoint: str, default: int) -> tuple[str, int]:
    """Split `host:port`, `host` or `[IPv6]:port`; torchrun requires the brackets of an IPv6 address."""
    host, colon, port = endpoint.rpartition(":")
    if not colon or not port.isdecimal() or len(port) > 5 or (":" in host and not host.endswith("]")):
        host, port = endpoint, str(default)
    return host, int(port)
