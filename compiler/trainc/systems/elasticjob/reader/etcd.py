"""An etcd that stands beside a job in its file: trainc makes one itself, of a version that torch can speak to."""

from __future__ import annotations

import re
from typing import Any

from trainc.source.node import Mapping, Node, Scalar, Sequence, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.report import TranslationReport

# The v2 API is off by default from 3.4 on and gone in 3.6: https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/
_SPEAKS_V2 = re.compile(r"v?3\.[45](\.|$)")
_OFFICIAL = "quay.io/coreos/etcd"


def managed_etcd(endpoint: Text, report: TranslationReport) -> Any:
    """`rendezvous.managed` for an endpoint that is a Service of an etcd in the same file, else None.

    The report then knows the objects whose place is taken.
    """
    host = endpoint.rpartition(":")[0] or endpoint
    services = [one for one in report.other_objects if _kind(one) == "Service"]
    service = next((one for one in services if _is_called(one, host)), None)
    selector = _at(service, "spec", "selector") if service else None
    if service is None or not isinstance(selector, Mapping) or not selector.entries:
        return None
    servers = [(one, _image(one)) for one in report.other_objects if _is_selected(one, selector)]
    image = next((image for _, image in servers if image is not None and "etcd" in image.text), None)
    if image is None:
        return None
    report.replaced_objects += [
        *(one for one, _ in servers),
        *(one for one in services if _selects_the_same(one, selector)),
    ]
    name, _, tag = image.text.partition("@")[0].rpartition(":")
    if "/" in tag or not name:
        name, tag = image.text, ""
    if _SPEAKS_V2.match(tag):
        report.add_change("an etcd is made with the job", endpoint.span)
        return True if name == _OFFICIAL else {"image": image}
    message = f"an etcd with the v2 API that torch needs is made with the job; `{image.text}` has none"
    report.add_change(message, endpoint.span)
    return True


def _kind(document: Mapping) -> str:
    return scalar_text(document.get("kind"))


def _is_called(service: Mapping, host: str) -> bool:
    """By its bare name, or with its namespace and what may follow."""
    name, namespace = (scalar_text(_at(service, "metadata", key)) for key in ("name", "namespace"))
    first, _, rest = host.partition(".")
    return bool(name) and first == name and (not rest or not namespace or rest.partition(".")[0] == namespace)


def _is_selected(document: Mapping, selector: Mapping) -> bool:
    template = document if _kind(document) == "Pod" else _at(document, "spec", "template")
    labels = _at(template, "metadata", "labels")
    wanted = {key: scalar_text(value) for key, value in selector.items()}
    return isinstance(labels, Mapping) and wanted.items() <= {k: scalar_text(v) for k, v in labels.items()}.items()


def _selects_the_same(service: Mapping, selector: Mapping) -> bool:
    other = _at(service, "spec", "selector")
    texts = [{k: scalar_text(v) for k, v in one.items()} for one in (other, selector) if isinstance(one, Mapping)]
    return len(texts) == 2 and texts[0] == texts[1]


def _image(document: Mapping) -> Scalar | None:
    template = document if _kind(document) == "Pod" else _at(document, "spec", "template")
    containers = _at(template, "spec", "containers")
    for container in containers.items if isinstance(containers, Sequence) else ():
        image = _at(container, "image")
        if isinstance(image, Scalar) and isinstance(image.value, str):
            return image
    return None


def _at(node: Node | None, *path: str) -> Node | None:
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node
