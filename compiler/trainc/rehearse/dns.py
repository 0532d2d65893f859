"""DNS of the cluster: the records of its Services and running pods, and a minimal server for them.

https://github.com/kubernetes/dns/blob/master/docs/specification.md
https://www.rfc-editor.org/rfc/rfc1035#section-4
"""

from __future__ import annotations

import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from trainc.plan.fields import Object
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import Pod
from trainc.record import Record

# Returns the records of a name, None for NXDOMAIN; the second argument is the client's address.
Lookup = Callable[[str, str], list[str] | None]

_A, _PTR, _ANY = 1, 12, 255
_NXDOMAIN, _NOT_IMPLEMENTED = 3, 4
_ANSWER, _AUTHORITATIVE, _TRUNCATED, _RECURSION = 0x8000, 0x0400, 0x0200, 0x0180
_MAX_UDP, _MAX_TCP = 512, 65535  # bytes of an answer
_TTL = 5  # seconds, CoreDNS's default for cluster names
_REVERSE = ".in-addr.arpa"
DOMAIN = "cluster.local"


class Endpoint(Record):
    """A pod with an address."""

    pod: Pod
    ip: str
    ready: bool


def dns_records(objects: list[Object], endpoints: Sequence[Endpoint]) -> dict[str, list[str]]:
    """Return the addresses of each name and the names of each address; a ClusterIP name has its pods' addresses."""
    names = NameResolver(objects, [endpoint.pod for endpoint in endpoints])
    records: dict[str, list[str]] = {}
    for service in names.services:
        base = f"{service.name}.{service.namespace}.svc.{DOMAIN}"
        for position in service.pods:
            endpoint = endpoints[position]
            if not (endpoint.ready or service.publishes_not_ready):
                continue
            domain = names.governing_service(position)
            has_name = domain and domain.name == service.name and endpoint.pod.spec.get("hostname")
            host = endpoint.pod.hostname if has_name else endpoint.ip.replace(".", "-")
            records.setdefault(base, []).append(endpoint.ip)
            if service.headless:
                name = f"{host}.{base}"
                records[name] = [endpoint.ip]
                reverse = ".".join(reversed(endpoint.ip.split("."))) + _REVERSE
                records.setdefault(reverse, []).append(name)
    return records


def serve(address: str, lookup: Lookup, port: int = 53) -> None:
    """Answer by UDP and TCP, in threads, until the process exits."""

    class Quiet(socketserver.BaseServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            if not isinstance(sys.exc_info()[1], (ValueError, OSError)):  # a malformed query, or its client has gone
                super().handle_error(request, client_address)

    class UdpHandler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            query, connection = self.request
            connection.sendto(answer(query, self.client_address[0], lookup, _MAX_UDP), self.client_address)

    class TcpHandler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            length = self.request.recv(2, socket.MSG_WAITALL)
            if len(length) == 2:
                query = self.request.recv(struct.unpack(">H", length)[0], socket.MSG_WAITALL)
                reply = answer(query, self.client_address[0], lookup, _MAX_TCP)
                self.request.sendall(struct.pack(">H", len(reply)) + reply)

    class UdpServer(Quiet, socketserver.ThreadingUDPServer):
        pass

    class TcpServer(Quiet, socketserver.ThreadingTCPServer):
        allow_reuse_address = True

    for server in (UdpServer((address, port), UdpHandler), TcpServer((address, port), TcpHandler)):
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()


def answer(query: bytes, client: str, lookup: Lookup, max_size: int) -> bytes:
    """Return the answer to a query; raises ValueError for a malformed one."""
    if len(query) < 12:
        raise ValueError("not a DNS query")
    number, flags, questions = struct.unpack(">HHH", query[:6])
    if flags & 0x7800 or questions != 1:
        return struct.pack(">HHHHHH", number, _ANSWER | _NOT_IMPLEMENTED, 0, 0, 0, 0)
    name, end = _parse_name(query, 12)
    kind = struct.unpack(">H", query[end : end + 2])[0]
    values = lookup(name.lower(), client)
    records = [record for record in (_record(kind, name, value) for value in values or ()) if record]
    head = _ANSWER | _AUTHORITATIVE | _RECURSION | (flags & 0x0100) | (_NXDOMAIN if values is None else 0)
    question = query[12 : end + 4]
    if 12 + len(question) + sum(map(len, records)) > max_size:
        head, records = head | _TRUNCATED, []
    return struct.pack(">HHHHHH", number, head, 1, len(records), 0, 0) + question + b"".join(records)


def _record(kind: int, name: str, value: str) -> bytes:
    """Return one record, whose name points to the question at byte 12; empty if the kind doesn't match."""
    own, data = _A, b""
    if name.lower().endswith(_REVERSE):
        own, data = _PTR, b"".join(bytes([len(part)]) + part.encode() for part in value.split(".")) + b"\0"
    elif kind in (_A, _ANY):
        data = socket.inet_aton(value)
    return struct.pack(">HHHIH", 0xC00C, own, 1, _TTL, len(data)) + data if kind in (own, _ANY) else b""


def _parse_name(packet: bytes, at: int) -> tuple[str, int]:
    parts = []
    while at < len(packet) and packet[at]:
        length = packet[at]
        if length > 63:
            raise ValueError("a compressed name in a question")
        parts.append(packet[at + 1 : at + 1 + length].decode("ascii", "replace"))
        at += length + 1
    if at + 5 > len(packet):
        raise ValueError("a truncated question")
    return ".".join(parts), at + 1
