"""A container's requests and limits as our `resources`: one value where both agree."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Node, Scalar
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import parse_count
from trainc.well_known import NVIDIA_GPU

SHORT = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "ephemeralStorage", NVIDIA_GPU: "gpu"}


def translate_resources(container: ForeignMapping) -> dict[str, Any] | None:
    """The section, None when nothing is asked for. A limit without a request is the request too, as in Kubernetes."""
    section = container.section("resources")
    if section is None:
        return None
    requests, limits = (_entries(section, name) for name in ("requests", "limits"))
    found: dict[str, Any] = {}
    apart: dict[str, dict[Text, Node]] = {"requests": {}, "limits": {}}
    for name in dict.fromkeys([*requests, *limits]):
        request, limit = requests.get(name), limits.get(name)
        same = request is None or (limit is not None and _value(request[1]) == _value(limit[1]))
        if limit is not None and same and _has_a_field(name):
            key, value = limit
            found[Text(SHORT.get(name, name), key.span)] = _count(name, value)
            continue
        for where, entry in (("requests", limit if same else request), ("limits", limit)):
            if entry is not None:
                apart[where][entry[0]] = entry[1]
    found |= {where: values for where, values in apart.items() if values}
    return found or None


def _has_a_field(name: str) -> bool:
    """Huge pages, like hugepages-2Mi, have none: they stand in requests and limits alone."""
    return name in SHORT or "/" in name


def _entries(section: ForeignMapping, name: str) -> dict[str, tuple[Text, Node]]:
    node = section.consume(name)
    if not isinstance(node, Mapping):
        return {}
    return {key: (Text(key, entry.key.span), entry.value) for key, entry in node.entries.items()}


def _value(node: Node) -> str | None:
    return node.text if isinstance(node, Scalar) else None


def _count(name: str, node: Node) -> Node:
    """Extended resources are whole numbers with us, and often strings in manifests."""
    text = _value(node) or ""
    count = parse_count(text)
    return Scalar(count, text, node.span) if "/" in name and count is not None else node
