"""Which pods a name leads to, from inside a pod: /etc/hosts, then the cluster's DNS.

https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/
"""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from typing import Literal

from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.plan.pods import Pod
from trainc.record import Record
from trainc.systems.shared.model.shapes import controllers

Kind = Literal["itself", "service", "pod", "address", "outside", "nobody"]


class Service(Record):
    """A Service and the pods that it selects, by their places in the list of all; `by` is the operator behind it.

    An `owned` one is made by a controller, so that nobody can help how it is.
    """

    name: str
    namespace: str
    headless: bool
    publishes_not_ready: bool
    ports: tuple[tuple[str, int], ...]
    pods: tuple[int, ...]
    is_owned: bool = False
    created_by: str = ""


class Resolution(Record):
    """Where a name leads: to the pod that asks itself, to pods, or out of these manifests."""

    kind: Kind
    pods: tuple[int, ...] = ()
    service: Service | None = None


class NameResolver:
    """All Services over all pods."""

    def __init__(self, objects: list[Object], pods: list[Pod]) -> None:
        self.pods = pods
        by_label: dict[tuple[str, str], set[int]] = defaultdict(set)
        for place, pod in enumerate(pods):
            for pair in pod.labels.items():
                by_label[pair].add(place)
        self.services = [self._service(one, by_label) for one in objects if text(one, "kind") == "Service"]
        self.sole_services: dict[int, list[str]] = defaultdict(list)
        for one in self.services:
            if len(one.pods) == 1:
                self.sole_services[one.pods[0]].append(one.name)
        self.by_name = {(one.name, one.namespace): one for one in self.services}

    def _service(self, given: Object, by_label: dict[tuple[str, str], set[int]]) -> Service:
        spec, namespace = mapping(given, "spec"), text(given, "metadata", "namespace")
        wanted = [by_label.get((key, str(value)), set()) for key, value in mapping(spec, "selector").items()]
        # The rarest label first: an operator makes a Service for each pod.
        places = set.intersection(*sorted(wanted, key=len)) if wanted else set()
        return Service(
            name=text(given, "metadata", "name"),
            namespace=namespace,
            headless=text(spec, "clusterIP") == "None",
            publishes_not_ready=at(spec, "publishNotReadyAddresses") is True,
            ports=tuple((text(one, "name"), number(one, "port") or 0) for one in items(spec, "ports")),
            pods=tuple(sorted(place for place in places if self.pods[place].namespace == namespace)),
            is_owned=bool(controllers(given)),
            created_by=text(given, "createdBy"),
        )

    def governing_service(self, place: int) -> Service | None:
        """The headless Service under which a pod has a name of its own."""
        pod = self.pods[place]
        service = self.by_name.get((pod.subdomain, pod.namespace)) if pod.subdomain else None
        return service if service and service.headless and place in service.pods else None

    def names_of(self, place: int) -> list[str]:
        """The names that lead to this pod alone, for others of its namespace."""
        alone = self.sole_services[place]
        own = self.governing_service(place)
        return [*alone, f"{self.pods[place].hostname}.{own.name}"] if own else alone

    def is_own_name(self, place: int, host: str) -> bool:
        """Whether a pod's own name or /etc/hosts says that a host is itself, without any DNS."""
        pod = self.pods[place]
        if host == pod.hostname:
            return True
        full = f"{pod.hostname}.{pod.subdomain}.{pod.namespace}.svc."
        return bool(pod.subdomain and pod.namespace) and host.startswith(full)

    def lookup(self, host: str, place: int) -> Resolution:
        """Where a host leads, seen from a pod."""
        if host == "localhost" or _is_address(host):
            local = host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
            return Resolution(kind="itself", pods=(place,)) if local else Resolution(kind="address")
        if self.is_own_name(place, host):
            return Resolution(kind="itself", pods=(place,))
        labels = host.rstrip(".").split(".")
        namespace = self.pods[place].namespace
        for cut in (1, 2):
            service = self._named(labels[cut - 1 :], namespace)
            if service is None:
                continue
            if cut == 1:
                return Resolution(kind="service", pods=service.pods, service=service)
            of_pod = tuple(
                one for one in service.pods if self.pods[one].hostname == labels[0] and self.governing_service(one)
            )
            return Resolution(kind="pod" if of_pod else "nobody", pods=of_pod, service=service)
        return Resolution(kind="nobody" if len(labels) == 1 else "outside")

    def _named(self, labels: list[str], namespace: str) -> Service | None:
        """The Service that `NAME`, `NAME.NAMESPACE`, `NAME.NAMESPACE.svc` and so on lead to."""
        if not labels or (len(labels) > 2 and labels[2] != "svc"):
            return None
        # Manifests without a namespace go to one that isn't known here.
        other = len(labels) > 1 and labels[1] != namespace and namespace
        return None if other else self.by_name.get((labels[0], namespace))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
