"""DNS records of pods, and the DNS server."""

from __future__ import annotations

import socket

import pytest

from trainc.plan.fields import Object
from trainc.plan.pods import create_pods
from trainc.rehearse.dns import Endpoint, answer, dns_records, serve

DOMAIN = "team.svc.cluster.local"


def service(name: str, **fields: object) -> Object:
    spec = {"clusterIP": "None", "selector": {"app": "demo"}, **fields}
    return {"kind": "Service", "metadata": {"name": name, "namespace": "team"}, "spec": spec}


def pod(name: str, **fields: object) -> Object:
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team", "labels": {"app": "demo"}},
        "spec": {**fields},
    }


def endpoints(*objects: Object, ready: bool = True) -> list[Endpoint]:
    definitions = create_pods(list(objects))
    return [Endpoint(pod=pod, ip=f"10.0.0.{number}", ready=ready) for number, pod in enumerate(definitions, 1)]


def test_a_headless_service_resolves_to_all_pods_and_each_host_by_name() -> None:
    pods = endpoints(pod("a", hostname="a", subdomain="demo"), pod("b"))
    assert dns_records([service("demo")], pods) == {
        f"demo.{DOMAIN}": ["10.0.0.1", "10.0.0.2"],
        f"a.demo.{DOMAIN}": ["10.0.0.1"],
        f"10-0-0-2.demo.{DOMAIN}": ["10.0.0.2"],
        "1.0.0.10.in-addr.arpa": [f"a.demo.{DOMAIN}"],
        "2.0.0.10.in-addr.arpa": [f"10-0-0-2.demo.{DOMAIN}"],
    }


def test_an_unready_pod_has_records_only_with_publish_not_ready_addresses() -> None:
    unready = endpoints(pod("a"), ready=False)
    assert dns_records([service("demo")], unready) == {}
    assert f"demo.{DOMAIN}" in dns_records([service("demo", publishNotReadyAddresses=True)], unready)


def question(name: str, kind: int = 1) -> bytes:
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return bytes.fromhex("beef01000001000000000000") + labels + b"\0" + kind.to_bytes(2, "big") + b"\0\1"


def test_a_known_name_resolves_and_an_unknown_one_does_not() -> None:
    records = {"a.b": ["10.0.0.1"]}
    reply = answer(question("A.b"), "", lambda name, _: records.get(name), 512)
    assert reply[:2] == b"\xbe\xef"
    assert reply[3] & 0x0F == 0
    assert reply[-4:] == socket.inet_aton("10.0.0.1")
    unknown = answer(question("c.b"), "", lambda name, _: records.get(name), 512)
    assert unknown[3] & 0x0F == 3
    assert unknown[6:8] == b"\0\0"


def test_a_known_name_exists_without_an_ipv6_address() -> None:
    reply = answer(question("a.b", kind=28), "", lambda _, __: ["10.0.0.1"], 512)
    assert (reply[3] & 0x0F, reply[6:8]) == (0, b"\0\0")


def test_a_long_answer_is_truncated_by_udp_and_complete_by_tcp() -> None:
    addresses = [f"10.0.0.{number}" for number in range(40)]
    short = answer(question("a.b"), "", lambda _, __: addresses, 512)
    assert (bool(short[2] & 0x02), len(short) < 512) == (True, True)
    assert answer(question("a.b"), "", lambda _, __: addresses, 65535)[6:8] == (40).to_bytes(2, "big")


def test_malformed_queries_are_dropped_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        address = free.getsockname()
    serve("127.0.0.1", lambda *_: ["10.0.0.1"], address[1])
    query = b"\0\7\1\0\0\1\0\0\0\0\0\0\1a\0\0\1\0\1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(10)
        for packet in (b"", b"short", query[:12] + b"\xff", query[:-4], query):
            client.sendto(packet, address)
        assert client.recv(512)[-4:] == bytes([10, 0, 0, 1])
    assert capfd.readouterr().err == ""
