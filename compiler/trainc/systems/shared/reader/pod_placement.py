"""Translate the placement of a pod to `scheduling`."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Node, Sequence, plain, scalar_text
from trainc.spec.scheduling import SPOT_LABELS, SPOT_TAINTED
from trainc.systems.shared.reader.coercion import coerce_string_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import items, without_entries

FIELDS = (
    *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName", "schedulerName"),
)


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
