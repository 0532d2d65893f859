"""Translate a pod's requests and limits to `resources`, and its placement to `scheduling`."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Node, Scalar, Sequence, plain, scalar_text
from trainc.span import Text
from trainc.spec.scheduling import SPOT_LABELS, SPOT_TAINTED
from trainc.systems.shared.reader.coercion import coerce_string_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import parse_count
from trainc.systems.shared.reader.tree import items, without_entries
from trainc.well_known import NVIDIA_GPU

SHORT_NAMES = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "ephemeralStorage", NVIDIA_GPU: "gpu"}
FIELDS = (
    *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName", "schedulerName"),
)


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
        equal = request is None or (limit is not None and _text(request[1]) == _text(limit[1]))
        if limit is not None and equal and (name in SHORT_NAMES or "/" in name):  # not hugepages-2Mi
            key, value = limit
            short_name = Text(SHORT_NAMES.get(name, name), key.span)
            fields[short_name] = value
            count = parse_count(scalar_text(value))
            if "/" in name and count is not None:  # an extended resource, which manifests often quote
                fields[short_name] = Scalar(count, scalar_text(value), value.span)
            continue
        for kind, entry in (("requests", limit if equal else request), ("limits", limit)):
            if entry is not None:
                separate[kind][entry[0]] = entry[1]
    fields |= {kind: values for kind, values in separate.items() if values}
    return fields or None


def _entries(section: ForeignMapping, name: str) -> dict[str, tuple[Text, Node]]:
    node = section.consume(name)
    if not isinstance(node, Mapping):
        return {}
    return {key: (Text(key, entry.key.span), entry.value) for key, entry in node.entries.items()}


def _text(node: Node) -> str | None:
    return node.text if isinstance(node, Scalar) else None


def translate_placement(spec: ForeignMapping) -> dict[str, Any]:
    """Return the fields; a provider's spot label and toleration become `spot` if `spot` stands for exactly these."""
    fields: dict[str, Any] = {spec.key(name): spec.consume(name) for name in FIELDS}
    selector = coerce_string_values(fields["nodeSelector"], spec.path_of("nodeSelector"), spec.report)
    fields[spec.key("nodeSelector")] = selector
    tolerations = items(fields["tolerations"])
    for provider, (key, value) in SPOT_LABELS.items():
        if not isinstance(selector, Mapping) or scalar_text(selector.get(key)) != value:
            continue
        spot = [toleration for toleration in tolerations if _tolerates(toleration, key, value)]
        if provider in SPOT_TAINTED and not spot:
            continue
        fields["spot"] = provider
        rest = without_entries(selector, key)
        fields["nodeSelector"] = rest if rest.entries else None
        if provider in SPOT_TAINTED:
            others = [toleration for toleration in tolerations if toleration not in spot]
            fields["tolerations"] = Sequence(others, fields["tolerations"].span) if others else None
        break
    return fields


def _tolerates(toleration: Node, key: str, value: str) -> bool:
    fields = plain(toleration)
    expected = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    return isinstance(fields, dict) and {"operator": "Equal", **fields} == expected  # Equal is Kubernetes' default
