"""Find the etcd servers and ConfigMaps among the other objects of the input; a translated job has one etcd that torch
supports."""

from __future__ import annotations

import re
from typing import Any

from trainc.ir.job import EtcdServer, InputObjects
from trainc.source.node import Mapping, Node, Scalar, mappings, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.pod_trees import command_words, containers_of
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child
from trainc.well_known import is_etcd

# The v2 API is off by default from 3.4 on and gone in 3.6: https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/
_HAS_V2_API = re.compile(r"v?3\.[45](\.|$)")
_OFFICIAL_IMAGE = "quay.io/coreos/etcd"


def input_objects(objects: list[Mapping]) -> InputObjects:
    """Return what the rules see of the objects of the input that are no jobs."""
    config_maps = {
        scalar_text(child(each, "metadata", "name")): {
            key: Text(value.text, value.span) for key, value in data.items() if isinstance(value, Scalar)
        }
        for each in objects
        if scalar_text(each.get("kind")) == "ConfigMap" and isinstance(data := each.get("data"), Mapping)
    }
    return InputObjects(servers=tuple(etcd_servers(objects)), config_maps=config_maps)


def etcd_servers(objects: list[Mapping]) -> list[EtcdServer]:
    """Return the etcd servers among the objects of the input, each with the Services that select its pods."""
    servers = []
    for document in objects:
        container = _container(document)
        if container is None:
            continue
        image = container.get("image")
        assert isinstance(image, Scalar)
        services = [each for each in _services(objects) if _selects(each, document)]
        hosts = tuple(scalar_text(child(each, "metadata", "name")) for each in services)
        text = Text(image.text, image.span)
        servers.append(EtcdServer(hosts=hosts, image=text, enables_v2=_enables_v2(container)))
    return servers


def managed_etcd(endpoint: Text, report: TranslationReport) -> Any:
    """Return `rendezvous.managed` if the endpoint is the Service of an etcd in the input, else None.

    The etcd's objects are added to the report's replaced objects.
    """
    host = endpoint.rpartition(":")[0] or endpoint
    services = _services(report.other_objects)
    service = next((service for service in services if _has_host_name(service, host)), None)
    selected = [document for document in report.other_objects if service is not None and _selects(service, document)]
    server = next(iter(etcd_servers(selected)), None)
    if service is None or server is None:
        return None
    selector = child(service, "spec", "selector")
    peers = [other for other in services if _labels(child(other, "spec", "selector")) == _labels(selector)]
    report.replaced_objects += [*selected, *peers]
    image = server.image
    name, _, tag = image.partition("@")[0].rpartition(":")
    if "/" in tag or not name:
        name, tag = image, ""
    if _HAS_V2_API.match(tag):
        report.add_change("trainc deploys an etcd with the job", endpoint.span)
        return True if name == _OFFICIAL_IMAGE else {"image": image}
    verb = "has" if re.match(r"v?\d", tag) else "may have"
    message = f"trainc deploys an etcd with the v2 API, which torch requires; `{image}` {verb} none"
    report.add_change(message, endpoint.span)
    return True


def _has_host_name(service: Mapping, host: str) -> bool:
    """Return whether a host is the Service's name, with or without its namespace and domain."""
    name, namespace = (scalar_text(child(service, "metadata", key)) for key in ("name", "namespace"))
    first, _, rest = host.partition(".")
    return bool(name) and first == name and (not rest or not namespace or rest.partition(".")[0] == namespace)


def _services(objects: list[Mapping]) -> list[Mapping]:
    return [each for each in objects if scalar_text(each.get("kind")) == "Service"]


def _selects(service: Mapping, document: Mapping) -> bool:
    selector = _labels(child(service, "spec", "selector"))
    labels = _labels(child(_pod_template(document), "metadata", "labels"))
    return bool(selector) and labels is not None and (selector or {}).items() <= labels.items()


def _labels(node: Node | None) -> dict[str, str] | None:
    return {key: scalar_text(value) for key, value in node.items()} if isinstance(node, Mapping) else None


def _container(document: Mapping) -> Mapping | None:
    """Return the container that runs etcd, by the name of its image."""
    containers = containers_of(_pod_template(document))
    return next((each for each in containers if is_etcd(scalar_text(each.get("image")))), None)


def _enables_v2(container: Mapping) -> bool:
    """Return whether a flag, also in a shell script, or its variable is set; an image may start etcd with the flag.

    https://etcd.io/docs/v3.5/op-guide/configuration/
    """
    words = [scalar_text(word) for word in command_words(container)]
    names = [scalar_text(variable.get("name")) for variable in mappings(container.get("env"))]
    return not words or "--enable-v2" in " ".join(words) or "ETCD_ENABLE_V2" in names


def _pod_template(document: Mapping) -> Node | None:
    return document if scalar_text(document.get("kind")) == "Pod" else child(document, "spec", "template")
