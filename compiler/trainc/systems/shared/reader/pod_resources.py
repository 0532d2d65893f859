"""Translate a container's requests and limits to `resources`: one value where both are equal."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Node, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import parse_count
from trainc.well_known import NVIDIA_GPU

SHORT_NAMES = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "ephemeralStorage", NVIDIA_GPU: "gpu"}


def translate_resources(container: ForeignMapping) -> dict[str, Any] | None:
    """Return the section, or None without requests. A limit without a request is also the request, as in Kubernetes."""
    section = container.section("resources")
    if section is None:
        return None
    requests, limits = (_entries(section, name) for name in ("requests", "limits"))
    fields: dict[str, Any] = {}
    separate: dict[str, dict[Text, Node]] = {"requests": {}, "limits": {}}
    for name in dict.fromkeys([*requests, *limits]):
        request, limit = requests.get(name), limits.get(name)
        equal = request is None or (limit is not None and _value(request[1]) == _value(limit[1]))
        if limit is not None and equal and _has_field(name):
            key, value = limit
            fields[Text(SHORT_NAMES.get(name, name), key.span)] = _count(name, value)
            continue
        for kind, entry in (("requests", limit if equal else request), ("limits", limit)):
            if entry is not None:
                separate[kind][entry[0]] = entry[1]
    fields |= {kind: values for kind, values in separate.items() if values}
    return fields or None


def _has_field(name: str) -> bool:
    """Return whether a resource has a field of its own; huge pages, like hugepages-2Mi, have none."""
    return name in SHORT_NAMES or "/" in name


def _entries(section: ForeignMapping, name: str) -> dict[str, tuple[Text, Node]]:
    node = section.consume(name)
    if not isinstance(node, Mapping):
        return {}
    return {key: (Text(key, entry.key.span), entry.value) for key, entry in node.entries.items()}


def _value(node: Node) -> str | None:
    return node.text if isinstance(node, Scalar) else None


def _count(name: str, node: Node) -> Node:
    """Return an extended resource as a number, which manifests often quote."""
    count = parse_count(scalar_text(node))
    return Scalar(count, scalar_text(node), node.span) if "/" in name and count is not None else node
