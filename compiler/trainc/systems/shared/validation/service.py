"""Rejections of a Service by the API server: ValidateService."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics.finding import Finding, rejection
from trainc.plan.fields import Object, items, mapping, number, text
from trainc.systems.shared.validation.names import label_errors, metadata_errors, pair_errors
from trainc.systems.shared.validation.values import LARGEST_PORT, is_ip, is_port

_NAME = re.compile("[a-z]([-a-z0-9]{0,61}[a-z0-9])?")  # DNS-1035
_EXPOSED = ("NodePort", "LoadBalancer")


def errors(resource: Object) -> Iterator[Finding]:
    """Yield the errors of a Service."""
    name, spec = text(resource, "metadata", "name"), mapping(resource, "spec")
    if name and not _NAME.fullmatch(name):
        help_ = "use at most 63 lowercase letters, digits and dashes, with a letter first"
        yield rejection(f"`{name}` is not the name of a Service", "metadata", "name", help=help_)
    yield from metadata_errors(mapping(resource, "metadata"), "metadata")
    yield from pair_errors(mapping(spec, "selector"), "label", "spec", "selector")
    kind, address = text(spec, "type") or "ClusterIP", text(spec, "clusterIP")
    if kind == "ExternalName":
        if not text(spec, "externalName"):
            reason = "a Service of type ExternalName requires an externalName"
            yield rejection(reason, "spec", "externalName", help="set `externalName`")
    elif not items(spec, "ports") and address != "None":
        help_ = "add a port, or set `clusterIP: None`"
        yield rejection("a Service that is not headless requires a port", "spec", "ports", help=help_)
    if address == "None" and kind in _EXPOSED:
        reason = f"a headless Service can't have type {kind}"
        yield rejection(reason, "spec", "clusterIP", help="remove the type, or clusterIP")
    elif address and address != "None" and not is_ip(address):
        help_ = "write None for a headless Service, or remove it"
        yield rejection(f"`{address}` is neither None nor an IP address", "spec", "clusterIP", help=help_)
    if text(spec, "externalTrafficPolicy") and kind not in _EXPOSED:
        reason = "externalTrafficPolicy requires the type NodePort or LoadBalancer"
        yield rejection(reason, "spec", "externalTrafficPolicy", help="remove it")
    yield from _ports(spec, kind)


def _ports(spec: Object, kind: str) -> Iterator[Finding]:
    ports, names, numbers = items(spec, "ports"), set[str](), set[tuple[object, str]]()
    for index, port in enumerate(ports):
        where, name = ("spec", "ports", index), text(port, "name")
        value, target = number(port, "port"), port.get("targetPort")
        if not name and len(ports) > 1:
            yield rejection("one of several ports requires a name", *where, "name", help="set `name`")
        yield from label_errors(name, "port name", *where, "name")
        if name and name in names:
            yield rejection(f"two ports are named `{name}`", *where, "name", help="rename one of them")
        names.add(name)
        if value is not None and not 1 <= value <= LARGEST_PORT:
            help_ = f"set a number from 1 to {LARGEST_PORT}"
            yield rejection(f"{value} is not a port", *where, "port", help=help_)
        key = (value, text(port, "protocol") or "TCP")
        if key in numbers:
            yield rejection(f"two ports have the number {value}", *where, "port", help="remove one of them")
        numbers.add(key)
        if target not in (None, "", 0) and not is_port(target):
            reason = f"`{target}` is neither a port nor the name of a port"
            help_ = f"set a number from 1 to {LARGEST_PORT}, or the name of a port"
            yield rejection(reason, *where, "targetPort", help=help_)
        if number(port, "nodePort") and kind not in _EXPOSED:
            reason = f"nodePort requires the type NodePort or LoadBalancer, not {kind}"
            yield rejection(reason, *where, "nodePort", help="remove it, or set `type: NodePort`")
