"""The cluster's DNS names, as they follow from Services and from the pods that there are.

https://github.com/kubernetes/dns/blob/master/docs/specification.md
"""

from __future__ import annotations

from collections.abc import Sequence

from trainc.plan.fields import Object
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import Pod
from trainc.record import Record
from trainc.rehearse.dns import REVERSE

DOMAIN = "cluster.local"


class Endpoint(Record):
    """A pod with an address. `known` is false while the DNS is yet to hear of it."""

    pod: Pod
    ip: str
    ready: bool
    known: bool = True


def dns_records(objects: list[Object], endpoints: Sequence[Endpoint]) -> dict[str, list[str]]:
    """The addresses of each name, and the names of each address. A ClusterIP's name leads to its pods' own."""
    names = NameResolver(objects, [one.pod for one in endpoints])
    found: dict[str, list[str]] = {}
    for service in names.services:
        base = f"{service.name}.{service.namespace}.svc.{DOMAIN}"
        for place in service.pods:
            one = endpoints[place]
            if not one.known or not (one.ready or service.publishes_not_ready):
                continue
            own = names.governing_service(place)
            named = own and own.name == service.name and one.pod.spec.get("hostname")
            host = one.pod.hostname if named else one.ip.replace(".", "-")
            found.setdefault(base, []).append(one.ip)
            if service.headless:
                full = f"{host}.{base}"
                found[full] = [one.ip]
                reverse = ".".join(reversed(one.ip.split("."))) + REVERSE
                found.setdefault(reverse, []).append(full)
    return found
