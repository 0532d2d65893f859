"""Resolution of host names inside a pod: /etc/hosts, then the cluster's DNS.

https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/
"""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Literal

from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.plan.pods import Pod
from trainc.record import Record
from trainc.systems.shared.model import controllers

Kind = Literal["self", "service", "pod", "address", "external", "unresolved"]


class Service(Record):
    """Service with the pods that it selects, by their positions in the list of all pods.

    `created_by` is the operator that creates it; `is_owned` is true if any controller does. `multiplicity` is the
    number of Services that one of a sample represents. `states_namespace` if its manifest has the namespace.
    """

    name: str
    namespace: str
    headless: bool
    publishes_not_ready: bool
    ports: tuple[tuple[str, int], ...]
    pods: tuple[int, ...]
    is_owned: bool = False
    created_by: str = ""
    multiplicity: int = 1
    states_namespace: bool = True


class Resolution(Record):
    """Target of a host name: the pod itself, pods behind a Service, or something outside these manifests."""

    kind: Kind
    pods: tuple[int, ...] = ()
    service: Service | None = None


class NameResolver:
    """Names of all pods by all Services.

    Objects without a namespace are taken for objects of the one namespace that others state: `kubectl apply -n` puts
    them there.
    """

    def __init__(self, objects: list[Object], pods: list[Pod]) -> None:
        self.pods = pods
        services = [each for each in objects if text(each, "kind") == "Service"]
        stated = {text(each, "metadata", "namespace") for each in services} | {pod.namespace for pod in pods}
        stated.discard("")
        self._implied = next(iter(stated)) if len(stated) == 1 else ""
        by_label: dict[tuple[str, str], set[int]] = defaultdict(set)
        for position, pod in enumerate(pods):
            for pair in pod.labels.items():
                by_label[pair].add(position)
        self.services = [self._service(each, by_label) for each in services]
        self.sole_services: dict[int, list[str]] = defaultdict(list)
        for service in self.services:
            if len(service.pods) == 1:
                self.sole_services[service.pods[0]].append(service.name)
        self.by_name = {(each.name, each.namespace): each for each in self.services}
        self._selected = {key: frozenset(service.pods) for key, service in self.by_name.items()}
        # Positions by subdomain, namespace and hostname.
        self._named: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for position, pod in enumerate(pods):
            if self.governing_service(position):
                self._named[pod.subdomain, self._namespace(position), pod.hostname].append(position)

    def _namespace(self, position: int) -> str:
        return self.pods[position].namespace or self._implied

    def _service(self, manifest: Object, by_label: dict[tuple[str, str], set[int]]) -> Service:
        spec, stated = mapping(manifest, "spec"), text(manifest, "metadata", "namespace")
        namespace = stated or self._implied
        matches = [by_label.get((key, str(value)), set()) for key, value in mapping(spec, "selector").items()]
        # The rarest label first, which is fast for an operator's Service per pod.
        selected = set.intersection(*sorted(matches, key=len)) if matches else set()
        return Service(
            name=text(manifest, "metadata", "name"),
            namespace=namespace,
            headless=text(spec, "clusterIP") == "None",
            publishes_not_ready=at(spec, "publishNotReadyAddresses") is True,
            ports=tuple((text(port, "name"), number(port, "port") or 0) for port in items(spec, "ports")),
            pods=tuple(sorted(position for position in selected if self._namespace(position) == namespace)),
            is_owned=bool(controllers(manifest)),
            created_by=text(manifest, "createdBy"),
            multiplicity=number(manifest, "multiplicity") or 1,
            states_namespace=bool(stated),
        )

    def governing_service(self, position: int) -> Service | None:
        """Return the headless Service that gives a pod a DNS name of its own.

        Only a pod with both fields has one, `hostname` and `subdomain`: a pod's name is its host name inside it alone.
        https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-hostname-and-subdomain-fields
        """
        pod = self.pods[position]
        if not text(pod.spec, "hostname"):
            return None
        key = (pod.subdomain, self._namespace(position))
        service = self.by_name.get(key) if pod.subdomain else None
        return service if service and service.headless and position in self._selected[key] else None

    def names_of(self, position: int) -> list[str]:
        """Return the names that resolve to this pod alone, inside its namespace."""
        sole, service = self.sole_services[position], self.governing_service(position)
        return [*sole, f"{self.pods[position].hostname}.{service.name}"] if service else sole

    def is_own_name(self, position: int, host: str) -> bool:
        """Return whether a host is the pod's own hostname or in its /etc/hosts, without DNS."""
        pod = self.pods[position]
        if host == pod.hostname:
            return True
        full = f"{pod.hostname}.{pod.subdomain}.{pod.namespace}.svc."
        return bool(pod.subdomain and pod.namespace) and host.startswith(full)

    def lookup(self, host: str, position: int) -> Resolution:
        """Resolve a host inside a pod."""
        with suppress(ValueError):
            address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
            return Resolution(kind="self", pods=(position,)) if address.is_loopback else Resolution(kind="address")
        if self.is_own_name(position, host):
            return Resolution(kind="self", pods=(position,))
        labels = host.rstrip(".").split(".")
        namespace = self._namespace(position)
        service = self._find(labels, namespace)
        if service is not None:
            return Resolution(kind="service", pods=service.pods, service=service)
        service = self._find(labels[1:], namespace)
        if service is not None:
            pods = tuple(self._named.get((service.name, service.namespace, labels[0]), ()))
            return Resolution(kind="pod" if pods else "unresolved", pods=pods, service=service)
        return Resolution(kind="unresolved" if len(labels) == 1 else "external")

    def by_namespace(self, positions: Iterable[int]) -> list[list[int]]:
        """Return the positions of pods by namespace."""
        groups: dict[str, list[int]] = defaultdict(list)
        for position in positions:
            groups[self._namespace(position)].append(position)
        return list(groups.values())

    def is_unresolved(self, host: str, positions: Sequence[int]) -> bool:
        """Return whether a host has no address in a pod of a namespace. Only its own name depends on the pod."""
        kinds = (self.lookup(host, position).kind for position in positions)
        return next((kind for kind in kinds if kind != "self"), "self") == "unresolved"

    def _find(self, labels: list[str], namespace: str) -> Service | None:
        """Return the Service named by `NAME`, `NAME.NAMESPACE`, `NAME.NAMESPACE.svc` and longer forms."""
        if not labels or (len(labels) > 2 and labels[2] != "svc"):
            return None
        # The namespace of manifests without one is unknown and matches any.
        other = len(labels) > 1 and labels[1] != namespace and namespace
        return None if other else self.by_name.get((labels[0], namespace))
