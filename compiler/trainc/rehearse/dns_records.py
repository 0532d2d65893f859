"""DNS records of the cluster, from its Services and running pods.

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
        for place in service.pods:
            endpoint = endpoints[place]
            if not (endpoint.ready or service.publishes_not_ready):
                continue
            domain = names.governing_service(place)
            has_name = domain and domain.name == service.name and endpoint.pod.spec.get("hostname")
            host = endpoint.pod.hostname if has_name else endpoint.ip.replace(".", "-")
            records.setdefault(base, []).append(endpoint.ip)
            if service.headless:
                name = f"{host}.{base}"
                records[name] = [endpoint.ip]
                reverse = ".".join(reversed(endpoint.ip.split("."))) + REVERSE
                records.setdefault(reverse, []).append(name)
    return records
