"""Where a pod may run, as our `scheduling`."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Node, Sequence, plain, scalar_text
from trainc.spec.spot import LABELS, TAINTED
from trainc.systems.shared.reader.coercion import coerce_string_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping

FIELDS = (
    *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName", "schedulerName"),
)


def translate_placement(spec: ForeignMapping) -> dict[str, Any]:
    """The pod's fields; a spot provider's label and toleration as `spot`, where that says exactly the same."""
    fields: dict[str, Any] = {spec.key(name): spec.consume(name) for name in FIELDS}
    selectors = coerce_string_values(fields["nodeSelector"], spec.path_of("nodeSelector"), spec.report)
    fields[spec.key("nodeSelector")] = selectors
    selector, tolerations = fields["nodeSelector"], fields["tolerations"]
    for provider, (key, value) in LABELS.items():
        if not isinstance(selector, Mapping) or scalar_text(selector.get(key)) != value:
            continue
        given = tolerations.items if isinstance(tolerations, Sequence) else []
        ours = [one for one in given if _tolerates(one, key, value)]
        if provider in TAINTED and not ours:
            continue
        fields["spot"] = provider
        rest = {name: entry for name, entry in selector.entries.items() if name != key}
        fields["nodeSelector"] = Mapping(rest, selector.span) if rest else None
        if provider in TAINTED:
            left = [one for one in given if one not in ours]
            fields["tolerations"] = Sequence(left, tolerations.span) if left else None
        break
    return fields


def _tolerates(toleration: Node, key: str, value: str) -> bool:
    """As Kubernetes understands it: Equal is the default."""
    given = plain(toleration)
    wanted = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    return isinstance(given, dict) and {"operator": "Equal", **given} == wanted
