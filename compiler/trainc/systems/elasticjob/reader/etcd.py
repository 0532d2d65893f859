"""Detect the etcd of an ElasticJob among the other objects of the input; trainc creates one that torch supports."""

from __future__ import annotations

import re
from typing import Any

from trainc.source.node import Mapping, Node, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child, items

# The v2 API is off by default from 3.4 on and gone in 3.6: https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/
_HAS_V2_API = re.compile(r"v?3\.[45](\.|$)")
_OFFICIAL_IMAGE = "quay.io/coreos/etcd"


def managed_etcd(endpoint: Text, report: TranslationReport) -> Any:
    """Return `rendezvous.managed` if the endpoint is the Service of an etcd in the input, else None.

    The etcd's objects are added to the report's replaced objects.
    """
    host = endpoint.rpartition(":")[0] or endpoint
    services = [document for document in report.other_objects if scalar_text(document.get("kind")) == "Service"]
    service = next((service for service in services if _has_host_name(service, host)), None)
    selector = _labels(child(service, "spec", "selector"))
    if not selector:
        return None
    servers = [document for document in report.other_objects if _is_selected(document, selector)]
    images = [image for image in map(_image, servers) if image is not None and "etcd" in image.text]
    if not images:
        return None
    image = images[0]
    peers = [other for other in services if _labels(child(other, "spec", "selector")) == selector]
    report.replaced_objects += [*servers, *peers]
    name, _, tag = image.text.partition("@")[0].rpartition(":")
    if "/" in tag or not name:
        name, tag = image.text, ""
    if _HAS_V2_API.match(tag):
        report.add_change("trainc deploys an etcd with the job", endpoint.span)
        return True if name == _OFFICIAL_IMAGE else {"image": image}
    message = f"trainc deploys an etcd with the v2 API, which torch requires; `{image.text}` has none"
    report.add_change(message, endpoint.span)
    return True


def _has_host_name(service: Mapping, host: str) -> bool:
    """Return whether a host is the Service's name, with or without its namespace and domain."""
    name, namespace = (scalar_text(child(service, "metadata", key)) for key in ("name", "namespace"))
    first, _, rest = host.partition(".")
    return bool(name) and first == name and (not rest or not namespace or rest.partition(".")[0] == namespace)


def _is_selected(document: Mapping, selector: dict[str, str]) -> bool:
    labels = _labels(child(_pod_template(document), "metadata", "labels"))
    return labels is not None and selector.items() <= labels.items()


def _labels(node: Node | None) -> dict[str, str] | None:
    return {key: scalar_text(value) for key, value in node.items()} if isinstance(node, Mapping) else None


def _image(document: Mapping) -> Scalar | None:
    for container in items(child(_pod_template(document), "spec", "containers")):
        image = child(container, "image")
        if isinstance(image, Scalar) and isinstance(image.value, str):
            return image
    return None


def _pod_template(document: Mapping) -> Node | None:
    return document if scalar_text(document.get("kind")) == "Pod" else child(document, "spec", "template")
