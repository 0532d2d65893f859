"""A DNS server as small as the pods need: addresses, names of addresses, and no such name.

https://www.rfc-editor.org/rfc/rfc1035#section-4
"""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from collections.abc import Callable

# Of a name, or None where there is no such name; the second is who asks.
Lookup = Callable[[str, str], list[str] | None]

_A, _PTR, _ANY = 1, 12, 255
_NO_SUCH_NAME, _NOT_IMPLEMENTED = 3, 4
_ANSWER, _AUTHORITATIVE, _CUT_OFF, _RECURSION = 0x8000, 0x0400, 0x0200, 0x0180
_LONGEST = 512  # bytes of an answer by UDP
_SECONDS = 5  # CoreDNS's `ttl` of a cluster's names is 5 by default
REVERSE = ".in-addr.arpa"


def serve(address: str, lookup: Lookup, port: int = 53) -> None:
    """Answer by UDP and by TCP, in threads of their own, for as long as the process lives."""

    class ByDatagram(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            asked, connection = self.request
            connection.sendto(answer(asked, self.client_address[0], lookup, _LONGEST), self.client_address)

    class ByStream(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            length = self.request.recv(2, socket.MSG_WAITALL)
            if len(length) == 2:
                asked = self.request.recv(struct.unpack(">H", length)[0], socket.MSG_WAITALL)
                told = answer(asked, self.client_address[0], lookup, 65535)
                self.request.sendall(struct.pack(">H", len(told)) + told)

    class Streams(socketserver.ThreadingTCPServer):
        allow_reuse_address = True

    for server in (socketserver.ThreadingUDPServer, Streams):
        handler = ByStream if server is Streams else ByDatagram
        made = server((address, port), handler)
        made.daemon_threads = True
        threading.Thread(target=made.serve_forever, daemon=True).start()


def answer(asked: bytes, asker: str, lookup: Lookup, longest: int) -> bytes:
    """The answer to one question; raises ValueError for what is none."""
    if len(asked) < 12:
        raise ValueError("no DNS question")
    number, flags, questions = struct.unpack(">HHH", asked[:6])
    if flags & 0x7800 or questions != 1:
        return struct.pack(">HHHHHH", number, _ANSWER | _NOT_IMPLEMENTED, 0, 0, 0, 0)
    name, end = _name(asked, 12)
    kind = struct.unpack(">H", asked[end : end + 2])[0]
    found = lookup(name.lower(), asker)
    records = [_record(kind, name, one) for one in found or ()]
    records = [one for one in records if one]
    head = _ANSWER | _AUTHORITATIVE | _RECURSION | (flags & 0x0100) | (_NO_SUCH_NAME if found is None else 0)
    question = asked[12 : end + 4]
    if 12 + len(question) + sum(map(len, records)) > longest:
        head, records = head | _CUT_OFF, []
    return struct.pack(">HHHHHH", number, head, 1, len(records), 0, 0) + question + b"".join(records)


def _record(kind: int, name: str, value: str) -> bytes:
    """The name is where the question has it, at byte 12."""
    if name.lower().endswith(REVERSE):
        if kind not in (_PTR, _ANY):
            return b""
        data = b"".join(bytes([len(part)]) + part.encode() for part in value.split(".")) + b"\0"
        return struct.pack(">HHHIH", 0xC00C, _PTR, 1, _SECONDS, len(data)) + data
    return struct.pack(">HHHIH", 0xC00C, _A, 1, _SECONDS, 4) + socket.inet_aton(value) if kind in (_A, _ANY) else b""


def _name(packet: bytes, at: int) -> tuple[str, int]:
    parts = []
    while at < len(packet) and packet[at]:
        length = packet[at]
        if length > 63:
            raise ValueError("a pointer in a question")
        parts.append(packet[at + 1 : at + 1 + length].decode("ascii", "replace"))
        at += length + 1
    if at + 5 > len(packet):
        raise ValueError("a question that is cut off")
    return ".".join(parts), at + 1
