"""The names of pods, as the cluster's DNS has them, and the server that tells them."""

from __future__ import annotations

import socket

from trainc.plan.fields import Object
from trainc.plan.pods import create_pods
from trainc.rehearse.dns import answer
from trainc.rehearse.dns_records import Endpoint, dns_records

DOMAIN = "team.svc.cluster.local"


def service(name: str, **more: object) -> Object:
    spec = {"clusterIP": "None", "selector": {"app": "demo"}, **more}
    return {"kind": "Service", "metadata": {"name": name, "namespace": "team"}, "spec": spec}


def pod(name: str, **more: object) -> Object:
    return {"kind": "Pod", "metadata": {"name": name, "namespace": "team", "labels": {"app": "demo"}}, "spec": {**more}}


def endpoints(*objects: Object, ready: bool = True, known: bool = True) -> list[Endpoint]:
    made = create_pods(list(objects))
    return [Endpoint(pod=one, ip=f"10.0.0.{place}", ready=ready, known=known) for place, one in enumerate(made, 1)]


def test_a_headless_service_has_all_addresses_and_a_name_for_each_host() -> None:
    two = endpoints(pod("a", hostname="a", subdomain="demo"), pod("b"))
    assert dns_records([service("demo")], two) == {
        f"demo.{DOMAIN}": ["10.0.0.1", "10.0.0.2"],
        f"a.demo.{DOMAIN}": ["10.0.0.1"],
        f"10-0-0-2.demo.{DOMAIN}": ["10.0.0.2"],
        "1.0.0.10.in-addr.arpa": [f"a.demo.{DOMAIN}"],
        "2.0.0.10.in-addr.arpa": [f"10-0-0-2.demo.{DOMAIN}"],
    }


def test_a_pod_that_isnt_ready_is_named_only_where_the_service_says_so() -> None:
    late = endpoints(pod("a"), ready=False)
    assert dns_records([service("demo")], late) == {}
    assert f"demo.{DOMAIN}" in dns_records([service("demo", publishNotReadyAddresses=True)], late)


def test_what_the_dns_is_yet_to_hear_of_has_no_name() -> None:
    assert dns_records([service("demo", publishNotReadyAddresses=True)], endpoints(pod("a"), known=False)) == {}


def question(name: str, kind: int = 1) -> bytes:
    words = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return bytes.fromhex("beef01000001000000000000") + words + b"\0" + kind.to_bytes(2, "big") + b"\0\1"


def test_an_address_is_told_and_an_unknown_name_refused() -> None:
    known = {"a.b": ["10.0.0.1"]}
    told = answer(question("A.b"), "", lambda name, _: known.get(name), 512)
    assert told[:2] == b"\xbe\xef"
    assert told[3] & 0x0F == 0
    assert told[-4:] == socket.inet_aton("10.0.0.1")
    refused = answer(question("c.b"), "", lambda name, _: known.get(name), 512)
    assert refused[3] & 0x0F == 3
    assert refused[6:8] == b"\0\0"


def test_a_known_name_has_no_ipv6_address_but_exists() -> None:
    told = answer(question("a.b", kind=28), "", lambda _, __: ["10.0.0.1"], 512)
    assert (told[3] & 0x0F, told[6:8]) == (0, b"\0\0")


def test_what_is_too_long_for_a_datagram_is_cut_off_and_whole_by_tcp() -> None:
    many = [f"10.0.0.{number}" for number in range(40)]
    short = answer(question("a.b"), "", lambda _, __: many, 512)
    assert (bool(short[2] & 0x02), len(short) < 512) == (True, True)
    assert answer(question("a.b"), "", lambda _, __: many, 65535)[6:8] == (40).to_bytes(2, "big")
